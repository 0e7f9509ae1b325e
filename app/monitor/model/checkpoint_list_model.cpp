#include "app/monitor/model/checkpoint_list_model.h"

#include <algorithm>

#include <QRegularExpression>
#include <QTextDocument>

#include "app/base/display_text.h"
#include "app/base/tone.h"
#include "app/monitor/model/checkpoint_choice.h"

namespace trainyard {

namespace {

struct CheckpointWord {
    QLatin1String state; ///< as RunCheckpoint has it
    QString text;
    Tone tone;
};

CheckpointWord checkpointWord(const RunCheckpoint& checkpoint)
{
    using Model = CheckpointListModel;
    const QList<CheckpointWord> words{
        {QLatin1String("whole"), Model::tr("● complete"), Tone::Good},
        {QLatin1String("damaged"), Model::tr("✕ damaged"), Tone::Bad},
        {QLatin1String("unreadable"), Model::tr("▲ unreadable"), Tone::Warning},
        {QLatin1String("incomplete"), Model::tr("▲ incomplete"), Tone::Warning},
        {QLatin1String("abandoned"), Model::tr("◌ abandoned"), Tone::Muted},
    };
    const auto known = std::ranges::find(words, checkpoint.state, &CheckpointWord::state);
    return known != words.end() ? *known : CheckpointWord{{}, oneLine(checkpoint.state), Tone::Plain};
}

bool isSound(const RunCheckpoint& checkpoint)
{
    return checkpoint.state == QLatin1String("whole") || checkpoint.state == QLatin1String("abandoned");
}

QString verifiedText(const RunCheckpoint& checkpoint)
{
    if (!isSound(checkpoint))
        return QStringLiteral("–");
    return checkpoint.verified ? CheckpointListModel::tr("✓ yes") : CheckpointListModel::tr("not yet");
}

/// Returns the reason without the path of the checkpoint's folder, which would fill the row.
QString shortReason(const RunCheckpoint& checkpoint)
{
    const QRegularExpression way(
        QStringLiteral("(^|\\s)/.*?/%1/").arg(QRegularExpression::escape(checkpoint.folder)));
    return oneLine(QString(checkpoint.reason).replace(way, QStringLiteral("\\1")));
}

QString noteText(const RunCheckpoint& checkpoint)
{
    QStringList notes;
    if (checkpoint.best)
        notes.append(CheckpointListModel::tr("★ best held-out evaluation"));
    if (checkpoint.next)
        notes.append(CheckpointListModel::tr("used by the next resume"));
    if (!checkpoint.reason.isEmpty())
        notes.append(shortReason(checkpoint));
    return notes.join(QStringLiteral(", "));
}

QString checkpointText(const RunCheckpoint& checkpoint, int column)
{
    switch (column) {
    case CheckpointListModel::Step:
        return displayCount(checkpoint.step);
    case CheckpointListModel::State:
        return checkpointWord(checkpoint).text;
    case CheckpointListModel::Size:
        return displayBytes(double(checkpoint.bytes));
    case CheckpointListModel::Verified:
        return verifiedText(checkpoint);
    case CheckpointListModel::Latest:
        return checkpoint.latest ? CheckpointListModel::tr("✓ yes") : QString();
    case CheckpointListModel::Note:
        return noteText(checkpoint);
    default:
        return {};
    }
}

QString checkpointHelp(const RunCheckpoint& checkpoint, int column)
{
    switch (column) {
    case CheckpointListModel::Step:
        return toolTipOf(checkpoint.folder);
    case CheckpointListModel::State:
    case CheckpointListModel::Verified:
    case CheckpointListModel::Note:
        return Qt::convertFromPlainText(sentenceOf(checkpoint), Qt::WhiteSpaceNormal); // rich text wraps
    case CheckpointListModel::Latest:
        return checkpoint.latest ? CheckpointListModel::tr("Named by the file `latest`") : QString();
    default:
        return {};
    }
}

Tone checkpointTone(const RunCheckpoint& checkpoint, int column)
{
    if (column == CheckpointListModel::Step)
        return Tone::Plain;
    return column == CheckpointListModel::State ? checkpointWord(checkpoint).tone : Tone::Muted;
}

Qt::Alignment alignmentOf(int column)
{
    const bool isNumber = column == CheckpointListModel::Step || column == CheckpointListModel::Size;
    return (isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter;
}

/// True when all of `some` are in `all`, in the same order.
bool isPartOf(const QList<RunCheckpoint>& some, const QList<RunCheckpoint>& all)
{
    auto at = all.begin();
    for (const RunCheckpoint& one : some) {
        at = std::find_if(at, all.end(), [&one](const RunCheckpoint& c) { return c.folder == one.folder; });
        if (at == all.end())
            return false;
        ++at;
    }
    return true;
}

} // namespace

/// Keeps the result of an earlier hash comparison: the newer list comes from the index alone, which may look
/// fine although the bytes are damaged.
RunCheckpoint CheckpointListModel::withKnownResult(RunCheckpoint checkpoint) const
{
    const auto before = std::ranges::find(m_checkpoints, checkpoint.folder, &RunCheckpoint::folder);
    const bool isSame = before != m_checkpoints.end() && before->bytes == checkpoint.bytes;
    if (!isSame || checkpoint.verified || !isSound(checkpoint))
        return checkpoint;
    checkpoint.verified = before->verified;
    if (before->state == QLatin1String("damaged")) {
        checkpoint.state = before->state;
        checkpoint.reason = before->reason;
        checkpoint.next = false;
    }
    return checkpoint;
}

void CheckpointListModel::removeAllBut(const QList<RunCheckpoint>& listed)
{
    for (int row = rowCount() - 1; row >= 0; --row) {
        const QString& folder = m_checkpoints[row].folder;
        if (std::ranges::find(listed, folder, &RunCheckpoint::folder) != listed.end())
            continue;
        beginRemoveRows({}, row, row);
        m_checkpoints.removeAt(row);
        endRemoveRows();
    }
}

void CheckpointListModel::update(const QList<RunCheckpoint>& listed)
{
    QList<RunCheckpoint> now;
    for (const RunCheckpoint& one : listed)
        now.append(withKnownResult(one));
    removeAllBut(now);
    if (!isPartOf(m_checkpoints, now)) { // the order should never change; this host changed it
        beginResetModel();
        m_checkpoints = now;
        endResetModel();
        return;
    }
    for (int row = 0; row < now.size(); ++row) {
        if (row < rowCount() && m_checkpoints[row].folder == now[row].folder) {
            m_checkpoints[row] = now[row];
            emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
            continue;
        }
        beginInsertRows({}, row, row);
        m_checkpoints.insert(row, now[row]);
        endInsertRows();
    }
}

void CheckpointListModel::clear()
{
    beginResetModel();
    m_checkpoints.clear();
    endResetModel();
}

int CheckpointListModel::usualRow() const
{
    const auto next = std::ranges::find(m_checkpoints, true, &RunCheckpoint::next);
    return next != m_checkpoints.end() ? int(next - m_checkpoints.begin()) : std::min(0, rowCount() - 1);
}

int CheckpointListModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : int(m_checkpoints.size());
}

int CheckpointListModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CheckpointListModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const RunCheckpoint& checkpoint = m_checkpoints[index.row()];
    switch (role) {
    case Qt::DisplayRole:
        return checkpointText(checkpoint, index.column());
    case Qt::ToolTipRole:
        return checkpointHelp(checkpoint, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(index.column()));
    case kToneRole:
        return int(checkpointTone(checkpoint, index.column()));
    default:
        return {};
    }
}

QVariant CheckpointListModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    static const QStringList kTitles{tr("Step"),     tr("State"),  tr("Size"),
                                     tr("Verified"), tr("Latest"), tr("Note")};
    static const QStringList kHelp{
        tr("Steps done when it was written"),
        tr("Whether the run can resume from it"),
        tr("Size on the disk of the run's first host"),
        tr("Whether every byte was compared with its hash"),
        tr("Whether the file `latest` names it"),
        tr("Which checkpoint the next resume uses, and what is wrong with the others"),
    };
    switch (role) {
    case Qt::DisplayRole:
        return kTitles[section];
    case Qt::ToolTipRole:
        return kHelp[section];
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(alignmentOf(section));
    default:
        return {};
    }
}

} // namespace trainyard
