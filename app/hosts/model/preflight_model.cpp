#include "app/hosts/model/preflight_model.h"

#include <algorithm>

#include "app/base/display_text.h"
#include "app/hosts/model/host_entry.h"

namespace trainyard {

namespace {

QString verdictText(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok:
        return PreflightModel::tr("✓ ok");
    case Verdict::Warn:
        return PreflightModel::tr("◆ warning");
    case Verdict::Fail:
        break;
    }
    return PreflightModel::tr("✕ blocking");
}

QString linkText(const LinkRow& link)
{
    return link.way == LinkRow::Way::Ssh ? PreflightModel::tr("→ %1, ssh").arg(link.to)
                                         : PreflightModel::tr("→ %1").arg(link.to);
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
    if (role == Qt::ToolTipRole)
        return toolTipOf(data(index, Qt::DisplayRole).toString());
    if (role != Qt::DisplayRole)
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

void PreflightModel::setReport(const HostReport& report)
{
    beginResetModel();
    m_rows = report.rows;
    for (const LinkRow& link : report.links)
        m_rows << CheckRow{linkText(link), link.found, link.verdict, link.fix};
    std::stable_sort(m_rows.begin(), m_rows.end(),
                     [](const CheckRow& a, const CheckRow& b) { return a.verdict > b.verdict; });
    endResetModel();
}

} // namespace trainyard
