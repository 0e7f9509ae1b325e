#include "app/runs/run_list_model.h"

#include <cmath>

#include <QDateTime>

#include "app/base/display_text.h"

namespace trainyard {

RunListModel::RunListModel(const RunDatabase& history, QObject* parent)
    : QAbstractTableModel(parent)
    , m_history(history)
    , m_rows(history.runs())
    , m_nowMs(QDateTime::currentMSecsSinceEpoch())
{
    connect(&history, &RunDatabase::runAdded, this, &RunListModel::onAdded);
    connect(&history, &RunDatabase::runChanged, this, &RunListModel::onChanged);
    connect(&history, &RunDatabase::runRemoved, this, &RunListModel::onRemoved);
}

int RunListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_rows.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RunListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunEntry& entry = m_rows[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == State ? textOf(displayStateAt(index.row())) : text(entry, index.column());
    case Qt::ToolTipRole:
        return toolTipOf(toolTip(index.row()));
    case Qt::AccessibleTextRole:
        return spokenText(index.row());
    case EntryRole:
        return QVariant::fromValue(entry);
    case DisplayStateRole:
        return int(displayStateAt(index.row()));
    case AlertRole:
        return m_alerts.value(entry.id);
    case kToneRole:
        return int(index.column() == State ? toneOf(displayStateAt(index.row())) : Tone::Plain);
    case SortRole:
        return sortValue(entry, index.column());
    default:
        return {};
    }
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section < 0 || section >= ColumnCount)
        return {};
    static const QStringList kTitles{tr("State"), tr("Name"),     tr("Hosts"), tr("Ranks"),  tr("Step"),
                                     tr("Loss"),  tr("Held-out"), tr("seq/s"), tr("Active"), tr("Tags")};
    return kTitles[section];
}

QString RunListModel::text(const RunEntry& entry, int column) const
{
    switch (column) {
    case Name:
        return oneLine(entry.name);
    case Hosts:
        return entry.importedFrom.isEmpty() ? oneLine(entry.hosts.join(QStringLiteral(", ")))
                                            : tr("imported, %1").arg(oneLine(entry.importedFrom));
    case Ranks:
        return entry.worldSize > 0 ? displayCount(entry.worldSize) : QString();
    case Step:
        return entry.steps > 0 ? displayCount(entry.step) + QLatin1Char('/') + displayCount(entry.steps)
                               : displayCount(entry.step);
    case Loss:
        return displayLoss(entry.loss);
    case HeldOut:
        return displayLoss(entry.bestHeldOutLoss);
    case Throughput:
        return displayNumber(entry.sequencesPerSecond);
    case Age:
        return displayAge(entry.updatedMs, m_nowMs);
    case Tags:
        return oneLine(entry.tags.join(QStringLiteral(", ")));
    default:
        return {};
    }
}

QVariant RunListModel::sortValue(const RunEntry& entry, int column) const
{
    switch (column) {
    case Ranks:
        return entry.worldSize;
    case Step:
        return entry.step;
    case Loss:
        return entry.loss;
    case HeldOut:
        return entry.bestHeldOutLoss;
    case Throughput:
        return entry.sequencesPerSecond;
    case Age:
        return entry.updatedMs;
    case State:
        return int(entry.state);
    default:
        return text(entry, column).toLower();
    }
}

RunDisplayState RunListModel::displayStateAt(int row) const
{
    const RunEntry& entry = m_rows[row];
    return entry.isOver() ? displayStateOf(entry.state)
                          : m_displayStates.value(entry.id, displayStateOf(entry.state));
}

QString RunListModel::spokenText(int row) const
{
    const RunEntry& entry = m_rows[row];
    const QString alert = m_alerts.value(entry.id);
    const QString state =
        wordOf(displayStateAt(row)) + (alert.isEmpty() ? QString() : tr(", alert: %1").arg(alert));
    const QString heldOut = std::isfinite(entry.bestHeldOutLoss)
                                ? tr(", lowest held-out loss %1").arg(text(entry, HeldOut))
                                : QString();
    return tr("%1, %2, on %3, step %4, loss %5, %6 sequences per second, %7, id %8")
        .arg(text(entry, Name), state, text(entry, Hosts), text(entry, Step), text(entry, Loss) + heldOut,
             text(entry, Throughput), text(entry, Age), shortRunId(entry.id));
}

/// All that a row may have no room for.
QString RunListModel::toolTip(int row) const
{
    const RunEntry& entry = m_rows[row];
    QStringList lines{text(entry, Name) + QStringLiteral(" (") + textOf(displayStateAt(row)) +
                      QLatin1Char(')')};
    if (!entry.reason.isEmpty())
        lines << entry.reason;
    for (const int column : {Hosts, Ranks, Step, Loss, HeldOut, Throughput, Tags}) {
        const QString value = text(entry, column);
        if (!value.isEmpty() && value != QStringLiteral("–"))
            lines << headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() + QStringLiteral(": ") +
                         value;
    }
    return (lines << entry.id).join(QLatin1Char('\n'));
}

QModelIndex RunListModel::indexOf(const QString& runId) const
{
    const int row = m_history.rowOf(runId);
    return row < 0 ? QModelIndex() : index(row, 0);
}

void RunListModel::setDisplayState(const QString& runId, RunDisplayState state)
{
    const QModelIndex at = indexOf(runId);
    if (!at.isValid() || displayStateAt(at.row()) == state)
        return;
    m_displayStates[runId] = state;
    onChanged(at.row());
}

void RunListModel::setAlert(const QString& runId, const QString& words)
{
    const QModelIndex at = indexOf(runId);
    if (!at.isValid() || m_alerts.value(runId) == words)
        return;
    m_alerts[runId] = words;
    onChanged(at.row());
}

void RunListModel::setNow(qint64 nowMs)
{
    m_nowMs = nowMs;
    if (!m_rows.isEmpty())
        emit dataChanged(index(0, Age), index(rowCount() - 1, Age),
                         {Qt::DisplayRole, Qt::AccessibleTextRole});
}

void RunListModel::onAdded(int row)
{
    beginInsertRows({}, row, row);
    m_rows.insert(row, m_history.runs()[row]);
    endInsertRows();
}

void RunListModel::onChanged(int row)
{
    m_rows[row] = m_history.runs()[row];
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

void RunListModel::onRemoved(int row)
{
    beginRemoveRows({}, row, row);
    m_displayStates.remove(m_rows[row].id);
    m_alerts.remove(m_rows[row].id);
    m_rows.removeAt(row);
    endRemoveRows();
}

RunFilter::RunFilter(QObject* parent) : QSortFilterProxyModel(parent)
{
    setSortRole(RunListModel::SortRole);
}

void RunFilter::setSearch(const QString& search)
{
    m_search = RunQuery(search);
    invalidateRowsFilter();
}

bool RunFilter::filterAcceptsRow(int row, const QModelIndex& parent) const
{
    const auto* runs = qobject_cast<const RunListModel*>(sourceModel());
    return runs && !parent.isValid() && m_search.matches(runs->entryAt(row));
}

QString RunPickModel::idAt(const QModelIndex& index) const
{
    return RunFilter::data(index, RunListModel::EntryRole).value<RunEntry>().id;
}

void RunPickModel::setChosen(const QStringList& runIds)
{
    if (runIds == m_chosen)
        return;
    m_chosen = runIds;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::CheckStateRole});
    emit chosenChanged();
}

Qt::ItemFlags RunPickModel::flags(const QModelIndex& index) const
{
    const Qt::ItemFlags flags = RunFilter::flags(index);
    return index.isValid() && index.column() == 0 ? flags | Qt::ItemIsUserCheckable : flags;
}

QVariant RunPickModel::data(const QModelIndex& index, int role) const
{
    if (role == Qt::CheckStateRole && index.isValid() && index.column() == 0)
        return int(m_chosen.contains(idAt(index)) ? Qt::Checked : Qt::Unchecked);
    return RunFilter::data(index, role);
}

bool RunPickModel::setData(const QModelIndex& index, const QVariant& value, int role)
{
    if (role != Qt::CheckStateRole || !index.isValid() || index.column() != 0)
        return RunFilter::setData(index, value, role);
    const QString id = idAt(index);
    const bool wanted = value.toInt() == Qt::Checked;
    if (wanted == m_chosen.contains(id))
        return true;
    if (wanted)
        m_chosen.append(id);
    else
        m_chosen.removeAll(id);
    emit dataChanged(index, index, {Qt::CheckStateRole});
    emit chosenChanged();
    return true;
}

} // namespace trainyard
