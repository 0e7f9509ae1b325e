#include "app/data/model/host_data_sets.h"

#include <algorithm>

#include <QDateTime>

#include "app/base/display_text.h"
#include "engine/base/units.h"
#include "remote/target/joined_errors.h"

namespace trainyard {

namespace {

QString sentText(std::chrono::seconds age)
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    return displayAge(now - std::chrono::milliseconds(age).count(), now);
}

QString usedText(const HostDataSet& set)
{
    if (!set.activeRun.isEmpty())
        return HostDataSets::tr("%1, active").arg(set.activeRun);
    return set.lastRun.isEmpty() ? HostDataSets::tr("no run") : set.lastRun;
}

QString textIn(int column, const QString& host, const HostDataSet& set)
{
    switch (column) {
    case HostDataSets::Host:
        return host;
    case HostDataSets::Name:
        return set.name;
    case HostDataSets::Size:
        return QString::fromStdString(formatBytes(static_cast<Bytes>(set.bytes)));
    case HostDataSets::Sent:
        return sentText(set.age);
    default:
        return usedText(set);
    }
}

} // namespace

HostDataSets::HostDataSets(TargetPool& targets, QObject* parent)
    : QAbstractTableModel(parent), m_targets(targets)
{
}

int HostDataSets::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int HostDataSets::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant HostDataSets::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row& row = m_rows[index.row()];
    if (role == Qt::DisplayRole)
        return textIn(index.column(), row.host, row.set);
    if (role == Qt::ToolTipRole)
        return toolTipOf(index.column() == Name ? row.set.folder : data(index, Qt::DisplayRole).toString());
    return {};
}

QVariant HostDataSets::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Host:
        return tr("Host");
    case Name:
        return tr("Data set");
    case Size:
        return tr("Size");
    case Sent:
        return tr("Sent");
    case LastUsed:
        return tr("Last used by");
    default:
        return {};
    }
}

void HostDataSets::load(const QStringList& hosts)
{
    beginResetModel();
    m_rows.clear();
    endResetModel();
    ++m_load;
    m_errors.clear();
    m_asked = m_waiting = static_cast<int>(hosts.size());
    for (const QString& host : hosts)
        listDataSets(
            host, m_targets, this, this,
            [this, host, load = m_load](const Result<QList<HostDataSet>>& sets) { take(load, host, sets); });
}

void HostDataSets::take(int load, const QString& host, const Result<QList<HostDataSet>>& sets)
{
    if (load != m_load)
        return;
    --m_waiting;
    if (sets.ok() && !sets->isEmpty()) {
        const auto after = std::ranges::find_if(m_rows, [&](const Row& row) { return row.host > host; });
        const int at = static_cast<int>(after - m_rows.begin());
        beginInsertRows({}, at, at + static_cast<int>(sets->size()) - 1);
        for (qsizetype i = 0; i < sets->size(); ++i)
            m_rows.insert(at + i, {host, (*sets)[i]});
        endInsertRows();
    }
    if (!sets.ok())
        m_errors.push_back(sets.error());
    if (const Status all = joinedErrors(m_errors, m_asked); m_waiting == 0 && !all.ok())
        emit failed(all.error());
    emit answered();
}

void HostDataSets::remove(const QString& host, const QString& name)
{
    removeDataSet(host, name, m_targets, this, this, [this, host, name](const Result<qint64>& freed) {
        if (!freed.ok())
            return emit failed(freed.error());
        drop(host, name);
        emit removed(name, host, *freed);
    });
}

void HostDataSets::drop(const QString& host, const QString& name)
{
    for (int row = 0; row < m_rows.size(); ++row) {
        if (m_rows[row].host != host || m_rows[row].set.name != name)
            continue;
        beginRemoveRows({}, row, row);
        m_rows.removeAt(row);
        endRemoveRows();
        return;
    }
}

} // namespace trainyard
