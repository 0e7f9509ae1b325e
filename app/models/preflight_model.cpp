#include "app/models/preflight_model.h"

#include <algorithm>

#include "app/models/tone.h"

namespace trainyard {

namespace {

QString verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok:
        return PreflightModel::tr("✓ ok");
    case Verdict::Warn:
        return PreflightModel::tr("◆ look at it");
    case Verdict::Fail:
        break;
    }
    return PreflightModel::tr("✕ in the way");
}

} // namespace

int PreflightModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PreflightModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PreflightModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const CheckRow& row = m_rows[index.row()];
    if (role == kToneRole)
        return static_cast<int>(index.column() == VerdictColumn ? toneOf(row.verdict) : Tone::Plain);
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole)
        return {};
    switch (index.column()) {
    case Check:
        return row.check;
    case Found:
        return row.found;
    case VerdictColumn:
        return verdictText(row.verdict);
    case Fix:
        return row.fix;
    default:
        return {};
    }
}

QVariant PreflightModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue(Qt::Alignment(Qt::AlignLeft | Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    const QString titles[] = {tr("Check"), tr("Found"), tr("Verdict"), tr("Fix")};
    return titles[section];
}

void PreflightModel::setRows(const QList<CheckRow>& rows)
{
    beginResetModel();
    m_rows = rows;
    std::stable_sort(m_rows.begin(), m_rows.end(),
                     [](const CheckRow& a, const CheckRow& b) { return a.verdict > b.verdict; });
    endResetModel();
}

} // namespace trainyard
