#include "app/designer/memory_bars.h"

#include <algorithm>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <fmt/ranges.h>

#include "app/models/device_words.h"
#include "app/models/display_text.h"
#include "app/models/theme.h"

namespace trainyard {

namespace {

constexpr std::size_t kMostBars = 4;
constexpr int kLabel = 18;
constexpr int kBar = 14;
constexpr int kRow = kLabel + kBar + 6;
constexpr int kLine = 20;
constexpr int kLegendCell = 208; ///< about: figures stay near their names in a wide window
constexpr double kTint = 0.35;   ///< planned: an outline; the tint only helps the eye to find it again

Bytes bytesOf(const MemoryGroup& group, MemoryCategory category)
{
    return group.bytes[static_cast<std::size_t>(category)];
}

QString nameText(MemoryCategory category)
{
    const std::string_view name = nameOf(category);
    return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
}

QString textOf(Bytes bytes)
{
    return displayBytes(static_cast<double>(bytes));
}

/// Share of its room that a group fills; what has no known size comes by its bytes, after the others.
std::pair<double, Bytes> fullness(const MemoryGroup& group)
{
    const double share = group.capacity ? static_cast<double>(group.needed) /
                                              std::max(1.0, static_cast<double>(*group.capacity))
                                        : 0;
    return {share, group.needed};
}

std::vector<MemoryGroup> fullestFirst(std::vector<MemoryGroup> groups)
{
    std::ranges::stable_sort(groups, std::ranges::greater(), fullness);
    return groups;
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

QColor tintOf(QColor colour)
{
    colour.setAlphaF(kTint);
    return colour;
}

/// One line per category, every byte counted.
QString breakdown(const MemoryGroup& group)
{
    QStringList lines;
    for (const MemoryCategory category : categoriesIn({group}))
        lines << QStringLiteral("%1  %2 (%3 B)")
                     .arg(nameText(category), textOf(bytesOf(group, category)),
                          displayCount(static_cast<qint64>(bytesOf(group, category))));
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
    for (std::size_t i = 0; i < std::min(groups.size(), kMostBars); ++i)
        m_rows.push_back({groupWords(memory, groups[i], layout), groups[i]});
    const auto hidden = static_cast<qint64>(groups.size() - m_rows.size());
    m_more = hidden > 0 ? tr("and %1 groups that have more room").arg(hidden) : QString();

    QStringList said;
    for (const Row& row : m_rows)
        said << row.label + QStringLiteral(": ") + roomWords(row.group);
    setAccessibleDescription(said.join(QStringLiteral(", ")));
    updateGeometry();
    update();
}

int MemoryBars::legendTop() const
{
    return static_cast<int>(m_rows.size()) * kRow + (m_more.isEmpty() ? 0 : kLine);
}

int MemoryBars::legendColumns() const
{
    return std::max(1, width() / kLegendCell);
}

int MemoryBars::neededHeight() const
{
    const int columns = legendColumns();
    const int lines = (static_cast<int>(m_categories.size()) + columns - 1) / columns;
    return std::max(legendTop() + lines * kLine, kLine);
}

void MemoryBars::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateGeometry(); // the legend may have more lines, or fewer
}

double MemoryBars::bytesPerPixel() const
{
    Bytes largest = 1;
    for (const Row& row : m_rows)
        largest = std::max({largest, row.group.needed, row.group.capacity.value_or(0)});
    return static_cast<double>(largest) / std::max(1, width() - 2);
}

void MemoryBars::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setPen(coloursOf(palette()).muted);
    if (m_rows.empty()) {
        painter.drawText(rect(), Qt::AlignLeft | Qt::AlignVCenter, tr("No host gets a rank of this layout."));
        return;
    }
    painter.drawText(QRect(0, legendTop() - kLine, width(), kLine), Qt::AlignLeft | Qt::AlignVCenter, m_more);
    const double scale = bytesPerPixel();
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        paintRow(painter, m_rows[i], static_cast<int>(i) * kRow, scale);
    paintLegend(painter, legendTop());
}

void MemoryBars::paintRow(QPainter& painter, const Row& row, int top, double bytesPerPixel) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRect label(0, top, width(), kLabel);
    const QString room = roomWords(row.group);
    painter.setPen(row.group.fits() ? colours.text : colours.badText);
    painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, room);
    painter.setPen(colours.muted);
    const int left = width() - fontMetrics().horizontalAdvance(room) - 2 * metrics::kGap;
    painter.drawText(label, Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(row.label, Qt::ElideMiddle, left));
    const QRectF bar(0.5, top + kLabel + 0.5, width() - 1, kBar - 1);
    paintRoom(painter, row.group, bar, bytesPerPixel);
    paintBar(painter, row.group, bar, bytesPerPixel);
}

/// What there is: hatched, and a line at its end.
void MemoryBars::paintRoom(QPainter& painter, const MemoryGroup& group, const QRectF& bar,
                           double bytesPerPixel) const
{
    if (!group.capacity)
        return;
    const ThemeColours& colours = coloursOf(palette());
    QRectF capacity = bar;
    capacity.setWidth(static_cast<double>(*group.capacity) / bytesPerPixel);
    painter.fillRect(capacity, QBrush(freeMemoryColour(colours.scheme), Qt::BDiagPattern));
    painter.setPen(colours.border);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(capacity);
}

void MemoryBars::paintBar(QPainter& painter, const MemoryGroup& group, const QRectF& bar,
                          double bytesPerPixel) const
{
    const ThemeColours& colours = coloursOf(palette());
    double left = bar.left();
    for (const MemoryCategory category : m_categories) {
        const double width = static_cast<double>(bytesOf(group, category)) / bytesPerPixel;
        if (width < 0.5 || (group.onDevices && category == MemoryCategory::Host))
            continue;
        const QColor colour = colourOf(category, colours.scheme);
        const QRectF part(left, bar.top(), width, bar.height());
        painter.fillRect(part, colours.panel);
        painter.fillRect(part, tintOf(colour));
        painter.setPen(QPen(colour, 1.5));
        painter.drawRect(part.adjusted(0.75, 0.25, -0.75, -0.25));
        left += width;
    }
    if (group.capacity) {
        const double limit = bar.left() + static_cast<double>(*group.capacity) / bytesPerPixel;
        painter.setPen(QPen(group.fits() ? colours.muted : colours.bad, 2));
        painter.drawLine(QPointF(limit, bar.top() - 2), QPointF(limit, bar.bottom() + 2));
    }
}

void MemoryBars::paintLegend(QPainter& painter, int top) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int columns = legendColumns();
    for (std::size_t i = 0; i < m_categories.size(); ++i) {
        const int number = static_cast<int>(i);
        const QRect cell(number % columns * kLegendCell, top + number / columns * kLine, kLegendCell, kLine);
        const QColor colour = colourOf(m_categories[i], colours.scheme);
        const QRectF key(cell.left() + 0.5, cell.top() + 5.5, 10, 10);
        painter.fillRect(key, tintOf(colour));
        painter.setPen(QPen(colour, 1.5));
        painter.drawRect(key);
        const QRect text = cell.adjusted(18, 0, -24, 0);
        painter.setPen(colours.muted);
        painter.drawText(text, Qt::AlignLeft | Qt::AlignVCenter, nameText(m_categories[i]));
        painter.setPen(colours.text);
        painter.drawText(text, Qt::AlignRight | Qt::AlignVCenter,
                         textOf(bytesOf(m_rows.front().group, m_categories[i])));
    }
}

QString MemoryBars::toolTipAt(int y) const
{
    const auto row = static_cast<std::size_t>(y / kRow);
    if (row >= m_rows.size())
        return m_assumptions;
    const MemoryGroup& group = m_rows[row].group;
    const QString hint =
        group.capacity ? QString() : tr("\nCheck the host, or name its hardware, to know its size.");
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
