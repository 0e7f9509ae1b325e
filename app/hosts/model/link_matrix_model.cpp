#include "app/hosts/model/link_matrix_model.h"

#include <algorithm>
#include <cmath>

#include "app/base/display_text.h"
#include "app/base/tone.h"

namespace trainyard {

namespace {

double amountOf(const LinkRow& link, LinkMatrixModel::Metric metric)
{
    return metric == LinkMatrixModel::Metric::Latency ? link.latencyMs : link.bytesPerSecond;
}

QString latencyText(double ms)
{
    return LinkMatrixModel::tr("%1 ms").arg(ms, 0, 'g', 3);
}

QString rateText(double bytesPerSecond)
{
    return LinkMatrixModel::tr("%1/s").arg(displayBytes(bytesPerSecond));
}

QString amountText(double amount, LinkMatrixModel::Metric metric)
{
    return metric == LinkMatrixModel::Metric::Latency ? latencyText(amount) : rateText(amount);
}

/// "0.08 ms · 2.9 GB/s", as far as it was measured.
QString metricsText(const LinkRow& link)
{
    QStringList metrics;
    if (link.latencyMs > 0)
        metrics << latencyText(link.latencyMs);
    if (link.bytesPerSecond > 0)
        metrics << rateText(link.bytesPerSecond);
    return metrics.isEmpty() ? link.found : metrics.join(" · ");
}

} // namespace

int LinkMatrixModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_hosts.size());
}

int LinkMatrixModel::columnCount(const QModelIndex& parent) const
{
    return rowCount(parent);
}

const LinkRow* LinkMatrixModel::linkAt(const QModelIndex& index) const
{
    const QList<LinkRow>& links = m_links[index.row()];
    const auto found = std::ranges::find(links, m_hosts[index.column()], &LinkRow::to);
    return found == links.end() ? nullptr : &*found;
}

QVariant LinkMatrixModel::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const LinkRow* const link = linkAt(index);
    switch (role) {
    case Qt::DisplayRole:
        if (!link)
            return index.row() == index.column() ? QString() : QStringLiteral("–");
        return link->verdict == Verdict::Fail ? tr("✕ %1").arg(link->found) : metricsText(*link);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return sentence(index);
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignCenter));
    case kToneRole:
        return static_cast<int>(link && link->verdict == Verdict::Fail ? Tone::Bad : Tone::Plain);
    case kHeatRole:
        return link ? heatOf(*link) : QVariant();
    default:
        return {};
    }
}

QString LinkMatrixModel::sentence(const QModelIndex& index) const
{
    const LinkRow* const link = linkAt(index);
    if (index.row() == index.column())
        return tr("%1 itself").arg(m_hosts[index.row()]);
    const QString pair = tr("%1 → %2: ").arg(m_hosts[index.row()], m_hosts[index.column()]);
    if (!link)
        return pair + tr("not tested");
    const QString found = link->verdict == Verdict::Fail ? link->found : metricsText(*link);
    return pair + (link->fix.isEmpty() ? found : tr("%1; %2").arg(found, link->fix));
}

/// By ratios: a link of half the bandwidth is as far from the best as one of a quarter is from that.
QVariant LinkMatrixModel::heatOf(const LinkRow& link) const
{
    const double amount = amountOf(link, m_metric);
    if (link.verdict == Verdict::Fail || !(amount > 0))
        return {};
    const double range = std::log(m_most / m_least);
    const double above = range > 0 ? std::log(amount / m_least) / range : 0;
    return m_metric == Metric::Latency || range <= 0 ? above : 1 - above;
}

QVariant LinkMatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    const bool isColumn = orientation == Qt::Horizontal;
    switch (role) {
    case Qt::DisplayRole:
        return isColumn ? tr("→ %1").arg(m_hosts[section]) : m_hosts[section];
    case Qt::ToolTipRole:
        return isColumn ? tr("To %1").arg(m_hosts[section]) : tr("From %1").arg(m_hosts[section]);
    default:
        return {};
    }
}

void LinkMatrixModel::setReport(const PreflightReport& report)
{
    beginResetModel();
    m_hosts.clear();
    m_links.clear();
    for (const HostReport& host : report.hosts) {
        m_hosts << host.host;
        QList<LinkRow>& links = m_links.emplaceBack();
        std::ranges::copy_if(host.links, std::back_inserter(links),
                             [](const LinkRow& link) { return link.way == LinkRow::Way::Tcp; });
    }
    endResetModel();
    setMetric(m_metric);
}

void LinkMatrixModel::setMetric(Metric metric)
{
    m_metric = metric;
    m_least = m_most = 0;
    for (const QList<LinkRow>& links : m_links) {
        for (const LinkRow& link : links) {
            const double amount = amountOf(link, metric);
            if (link.verdict == Verdict::Fail || !(amount > 0))
                continue;
            m_least = m_least > 0 ? std::min(m_least, amount) : amount;
            m_most = std::max(m_most, amount);
        }
    }
    if (!m_hosts.isEmpty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {kHeatRole});
}

QString LinkMatrixModel::span() const
{
    if (m_least <= 0)
        return {};
    const QString least = amountText(m_least, m_metric);
    const QString most = amountText(m_most, m_metric);
    return least == most ? tr("all %1").arg(least)
                         : tr("%1 to %2; stronger colour means slower").arg(least, most);
}

} // namespace trainyard
