#include "app/designer/memory_bars.h"

#include <algorithm>

#include <QPainter>
#include <fmt/ranges.h>

#include "app/models/display_text.h"
#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr int kMaxBars = 4; ///< more hosts of the same kind say the same; the tightest ones are shown
constexpr int kLabel = 18;
constexpr int kBar = 20;
constexpr int kRow = kLabel + kBar + 8;
constexpr int kLegendLine = 20;
constexpr int kLegendColumns = 2;
constexpr int kLegendCell = 232; ///< at most: figures stay near their names in a wide window
constexpr int kLegendLines = (static_cast<int>(kMemoryCategories) + kLegendColumns - 1) / kLegendColumns;

QString textOf(Bytes bytes)
{
    return displayBytes(static_cast<double>(bytes));
}

std::vector<HostMemory> shownHosts(const PlannedRun& plan)
{
    auto hosts = plan.hosts;
    std::stable_sort(hosts.begin(), hosts.end(), [](const HostMemory& a, const HostMemory& b) {
        return a.perRank.value_or(~Bytes{0}) < b.perRank.value_or(~Bytes{0});
    });
    hosts.resize(std::min<std::size_t>(hosts.size(), kMaxBars));
    return hosts;
}

QString hostText(const HostMemory& host)
{
    return host.ranks == 1
               ? MemoryBars::tr("%1 · 1 rank").arg(QString::fromStdString(host.host))
               : MemoryBars::tr("%1 · %2 ranks, each").arg(QString::fromStdString(host.host)).arg(host.ranks);
}

QString verdictText(const HostMemory& host, Bytes needed)
{
    return host.perRank ? MemoryBars::tr("%1 of %2").arg(textOf(needed), textOf(*host.perRank))
                        : MemoryBars::tr("%1 of an unknown size — check the host").arg(textOf(needed));
}

} // namespace

MemoryBars::MemoryBars(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Planned memory per device"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MemoryBars::setPlan(const PlannedRun& plan)
{
    m_plan = plan;
    QStringList parts{tr("%1 in all").arg(textOf(plan.memory.total()))};
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto name = nameOf(static_cast<MemoryCategory>(i));
        parts << QStringLiteral("%1 %2").arg(
            QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())),
            textOf(plan.memory.bytes[i]));
    }
    setAccessibleDescription(parts.join(QStringLiteral(", ")));
    setToolTip(QString::fromStdString(fmt::format("{}", fmt::join(plan.memory.assumptions, "\n"))));
    updateGeometry();
    update();
}

QSize MemoryBars::sizeHint() const
{
    const int bars = static_cast<int>(shownHosts(m_plan).size());
    return {480, bars * kRow + kLegendLines * kLegendLine + 4};
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    const ThemeColours& colours = coloursOf(palette());
    QPainter painter(this);
    const auto hosts = shownHosts(m_plan);
    Bytes largest = m_plan.memory.total();
    for (const HostMemory& host : hosts)
        largest = std::max(largest, host.perRank.value_or(0));
    const double bytesPerPixel = std::max(1.0, static_cast<double>(largest)) / std::max(1, width() - 2);
    int top = 0;
    for (const HostMemory& host : hosts) {
        const QRect label(0, top, width(), kLabel);
        const bool fits = !host.perRank || m_plan.memory.total() <= *host.perRank;
        const QString verdict = verdictText(host, m_plan.memory.total());
        painter.setPen(fits ? colours.text : colours.badText);
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, verdict);
        painter.setPen(colours.muted);
        const int room = width() - fontMetrics().horizontalAdvance(verdict) - 16;
        painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(hostText(host), Qt::ElideMiddle, room));
        paintBar(painter, host, QRectF(0.5, top + kLabel + 0.5, width() - 1, kBar - 1), bytesPerPixel);
        top += kRow;
    }
    paintLegend(painter, top);
}

void MemoryBars::paintBar(QPainter& painter, const HostMemory& host, const QRectF& bar,
                          double bytesPerPixel) const
{
    const ThemeColours& colours = coloursOf(palette());
    if (host.perRank) {
        QRectF capacity = bar;
        capacity.setWidth(static_cast<double>(*host.perRank) / bytesPerPixel);
        painter.fillRect(capacity, QBrush(freeMemoryColour(colours.scheme), Qt::BDiagPattern));
        painter.setPen(colours.border);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(capacity);
    }
    double left = bar.left();
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const double width = static_cast<double>(m_plan.memory.bytes[i]) / bytesPerPixel;
        if (width < 0.5)
            continue;
        const QColor colour = colourOf(static_cast<MemoryCategory>(i), colours.scheme);
        QColor tint = colour;
        tint.setAlphaF(0.35f); // planned: an outline; the tint only helps the eye to find it again
        const QRectF part(left, bar.top(), width, bar.height());
        painter.fillRect(part, colours.panel);
        painter.fillRect(part, tint);
        painter.setPen(QPen(colour, 1.5));
        painter.drawRect(part.adjusted(0.75, 0.25, -0.75, -0.25));
        left += width;
    }
    if (host.perRank && *host.perRank < m_plan.memory.total()) {
        const double limit = bar.left() + static_cast<double>(*host.perRank) / bytesPerPixel;
        painter.setPen(QPen(colours.bad, 2));
        painter.drawLine(QPointF(limit, bar.top() - 2), QPointF(limit, bar.bottom() + 2));
    }
}

void MemoryBars::paintLegend(QPainter& painter, int top) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int columnWidth = std::min(kLegendCell, width() / kLegendColumns);
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto category = static_cast<MemoryCategory>(i);
        const int column = static_cast<int>(i) % kLegendColumns;
        const QRect cell(column * columnWidth, top + static_cast<int>(i) / kLegendColumns * kLegendLine,
                         columnWidth, kLegendLine);
        const QColor colour = colourOf(category, colours.scheme);
        QColor tint = colour;
        tint.setAlphaF(0.35f);
        const QRectF key(cell.left() + 0.5, cell.top() + 5.5, 10, 10);
        painter.fillRect(key, tint);
        painter.setPen(QPen(colour, 1.5));
        painter.drawRect(key);
        const auto name = nameOf(category);
        const QRect text = cell.adjusted(18, 0, -24, 0);
        painter.setPen(colours.muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter,
                         QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
        painter.setPen(colours.text);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter, textOf(m_plan.memory.bytes[i]));
    }
}

} // namespace trainyard
