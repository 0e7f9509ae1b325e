#include "app/designer/memory_bars.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <fmt/ranges.h>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/chart_fills.h"
#include "app/designer/model/cluster_labels.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxBars = 16;
constexpr int kLabel = 18;
constexpr int kBar = 14;
constexpr int kRow = kLabel + kBar + 6;
constexpr int kKept = 14; ///< height of the saved design's bar with the gap above it
constexpr int kLine = 20;
constexpr int kLegendGap = 4;
constexpr int kMinCellWidth = 184; ///< of the legend: the longest name with its figure
constexpr int kMaxCellWidth = 208; ///< figures stay near their names in a wide window
constexpr double kThinnest = 0.5;

Bytes bytesOf(const MemoryGroup& group, MemoryCategory category)
{
    return group.bytes[static_cast<std::size_t>(category)];
}

Bytes residentOf(const MemoryGroup& group, MemoryCategory category)
{
    return std::min(group.resident[static_cast<std::size_t>(category)], bytesOf(group, category));
}

QString textOf(Bytes bytes)
{
    return displayBytes(static_cast<double>(bytes));
}

std::vector<MemoryCategory> categoriesIn(const std::vector<MemoryGroup>& groups)
{
    std::vector<MemoryCategory> present;
    for (std::size_t i = 0; i < kMemoryCategories; ++i) {
        const auto category = static_cast<MemoryCategory>(i);
        if (std::ranges::any_of(groups,
                                [&](const MemoryGroup& group) { return bytesOf(group, category) > 0; }))
            present.push_back(category);
    }
    return present;
}

/// Returns one line per category, with exact bytes.
QString breakdown(const MemoryGroup& group)
{
    QStringList lines;
    for (const MemoryCategory category : categoriesIn({group})) {
        const Bytes bytes = bytesOf(group, category);
        const Bytes resident = residentOf(group, category);
        QString line =
            QStringLiteral("%1  %2 (%3 B)")
                .arg(toQString(nameOf(category)), textOf(bytes), displayCount(static_cast<qint64>(bytes)));
        if (resident < bytes)
            line += MemoryBars::tr(", %1 of it only during part of the step").arg(textOf(bytes - resident));
        lines << line;
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace

MemoryBars::MemoryBars(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Planned memory per device"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void MemoryBars::setMemory(const GroupedMemory& memory, const ParallelLayout& layout,
                           const std::vector<std::string>& assumptions)
{
    const std::vector<MemoryGroup> groups = fullestFirst(memory.groups);
    m_categories = categoriesIn(groups);
    m_assumptions = QString::fromStdString(fmt::format("{}", fmt::join(assumptions, "\n")));
    m_rows.clear();
    for (std::size_t i = 0; i < std::min(groups.size(), kMaxBars); ++i)
        m_rows.push_back({describeGroup(memory, groups[i], layout), groups[i]});
    const auto hidden = static_cast<qint64>(groups.size() - m_rows.size());
    m_more = hidden > 0 ? tr("and %1 groups with more free memory").arg(hidden) : QString();

    describe();
    updateGeometry();
    update();
}

void MemoryBars::setKept(const std::optional<MemoryGroup>& kept)
{
    m_kept = kept;
    describe();
    updateGeometry();
    update();
}

void MemoryBars::describe()
{
    QStringList said;
    for (const Row& row : m_rows)
        said << row.label + QStringLiteral(": ") + capacityText(row.group);
    if (m_kept)
        said << tr("the design saved for comparison: %1").arg(capacityText(*m_kept));
    setAccessibleDescription(said.join(QStringLiteral(", ")));
}

int MemoryBars::rowTop(std::size_t row) const
{
    return barsTop() + static_cast<int>(row) * kRow + (row > 0 && m_kept ? kKept : 0);
}

/// Returns the top of the bars, below the legend, which does not scroll.
int MemoryBars::barsTop() const
{
    const int columns = legendColumns();
    const int lines = (static_cast<int>(m_categories.size()) + columns - 1) / columns;
    return lines * kLine + (lines > 0 ? kLegendGap : 0);
}

int MemoryBars::legendColumns() const
{
    return std::max(1, width() / kMinCellWidth);
}

QRect MemoryBars::legendCell(std::size_t entry) const
{
    const int columns = legendColumns();
    const int number = static_cast<int>(entry);
    const int cell = std::min(kMaxCellWidth, width() / columns);
    return {number % columns * cell, number / columns * kLine, cell, kLine};
}

int MemoryBars::neededHeight() const
{
    return std::max(rowTop(m_rows.size()) + (m_more.isEmpty() ? 0 : kLine), kLine);
}

void MemoryBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateGeometry(); // the number of lines in the legend may change
}

double MemoryBars::bytesPerPixel() const
{
    Bytes largest = 1;
    for (const Row& row : m_rows)
        largest = std::max({largest, row.group.needed, row.group.capacity.value_or(0)});
    if (m_kept)
        largest = std::max(largest, m_kept->needed);
    return static_cast<double>(largest) / std::max(1, width() - 2);
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(coloursOf(palette()).muted);
    if (m_rows.empty()) {
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("This layout puts no ranks on any host."));
        return;
    }
    painter.drawText(QRect(0, rowTop(m_rows.size()), width(), kLine), Qt::AlignLeft | Qt::AlignVCenter,
                     m_more);
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        paintRow(painter, m_rows[i], rowTop(i));
    if (m_kept)
        paintKept(painter);
    paintLegend(painter);
}

void MemoryBars::paintRow(QPainter& painter, const Row& row, int top) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRect label(0, top, width(), kLabel);
    const QString room = capacityText(row.group);
    painter.setPen(row.group.fits() ? colours.text : colours.badText);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, room);
    painter.setPen(colours.muted);
    const int left = width() - fontMetrics().horizontalAdvance(room) - 2 * metrics::kGap;
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(row.label, Qt::ElideMiddle, left));
    const QRectF bar(0.5, top + kLabel + 0.5, width() - 1, kBar - 1);
    paintCapacity(painter, row.group, bar);
    paintBar(painter, row.group, bar);
}

/// Paints the capacity, hatched and with an outline.
void MemoryBars::paintCapacity(QPainter& painter, const MemoryGroup& group, const QRectF& bar) const
{
    if (!group.capacity)
        return;
    const ThemeColours& colours = coloursOf(palette());
    QRectF capacity = bar;
    capacity.setWidth(static_cast<double>(*group.capacity) / bytesPerPixel());
    painter.fillRect(capacity, QBrush(freeMemoryColour(colours.scheme), Qt::BDiagPattern));
    painter.setPen(colours.border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(capacity);
}

std::vector<MemoryBars::Part> MemoryBars::partsOf(const MemoryGroup& group, const QRectF& bar) const
{
    const double scale = bytesPerPixel();
    std::vector<Part> parts;
    double left = bar.left();
    for (const MemoryCategory category : categoriesIn({group})) {
        const double width = static_cast<double>(bytesOf(group, category)) / scale;
        if (width < kThinnest || (group.onDevices && category == MemoryCategory::Host))
            continue;
        const double resident = static_cast<double>(residentOf(group, category)) / scale;
        parts.push_back({category, QRectF(left, bar.top(), width, bar.height()), left + resident});
        left += width;
    }
    return parts;
}

void MemoryBars::paintBar(QPainter& painter, const MemoryGroup& group, const QRectF& bar) const
{
    const ThemeColours& colours = coloursOf(palette());
    for (const Part& part : partsOf(group, bar)) {
        painter.fillRect(part.area, colours.panel);
        paintPlanned(painter, part.area, colourOf(part.category, colours.scheme), part.transientFrom);
    }
    if (group.capacity) {
        const double limit = bar.left() + static_cast<double>(*group.capacity) / bytesPerPixel();
        painter.setPen(QPen(group.fits() ? colours.muted : colours.bad, 2));
        painter.drawLine(QPointF(limit, bar.top() - 2), QPointF(limit, bar.bottom() + 2));
    }
}

void MemoryBars::paintKept(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRectF bar(0.5, barsTop() + kRow - 2.5, width() - 1, kKept - 4);
    double end = bar.left();
    for (const Part& part : partsOf(*m_kept, bar)) {
        paintCompared(painter, part.area, colourOf(part.category, colours.scheme));
        end = part.area.right();
    }
    const QString text = tr("saved: %1").arg(textOf(m_kept->needed));
    const int room = fontMetrics().horizontalAdvance(text);
    painter.setPen(colours.muted);
    if (end + metrics::kGap + room < width()) // else the tool tip tells
        painter.drawText(QRectF(end + metrics::kGap, bar.top() - 3, room + 1, bar.height() + 6),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
}

void MemoryBars::paintLegend(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
        const QRect cell = legendCell(i);
        paintPlanned(painter, QRectF(cell.left(), cell.top() + 5, 11, 11),
                     colourOf(m_categories[i], colours.scheme));
        const QRect text = cell.adjusted(18, 0, -16, 0);
        painter.setPen(colours.muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, toQString(nameOf(m_categories[i])));
        painter.setPen(colours.text);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter,
                         textOf(bytesOf(m_rows.front().group, m_categories[i])));
    }
}

QString MemoryBars::toolTipAt(int y) const
{
    const int below = y - barsTop();
    if (m_kept && below >= kRow && y < rowTop(1))
        return toolTipOf(tr("the design saved for comparison: %1").arg(capacityText(*m_kept)) +
                         QLatin1Char('\n') + breakdown(*m_kept));
    if (below < 0 || y >= rowTop(m_rows.size()))
        return m_assumptions;
    const auto row = static_cast<std::size_t>((below - (m_kept && below >= kRow ? kKept : 0)) / kRow);
    const MemoryGroup& group = m_rows[row].group;
    const QString hint =
        group.capacity ? QString() : tr("\nCheck the host, or choose its hardware, to show its capacity.");
    return toolTipOf(m_rows[row].label + QLatin1Char('\n') + breakdown(group) + hint);
}

bool MemoryBars::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto& help = static_cast<const QHelpEvent&>(*event);
    QToolTip::showText(help.globalPos(), toolTipAt(help.pos().y()), this);
    return true;
}

} // namespace trainyard
