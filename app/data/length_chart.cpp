#include "app/data/length_chart.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/series/axis.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {
constexpr int kTickPixels = 11;
constexpr double kTitleHeight = 24;
} // namespace

/// Where everything is at the present size.
struct LengthChart::Frame {
    QRectF area;  ///< of the columns
    double top;   ///< share of the rows at the upper edge
    double pitch; ///< from column to column

    double y(double share) const { return area.bottom() - share / top * area.height(); }
    QRectF column(int index, double share) const
    {
        return {area.left() + index * pitch + 1.5, y(share), pitch - 3, area.bottom() - y(share)};
    }
};

LengthChart::LengthChart(QWidget* parent) : QWidget(parent)
{
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Row lengths"));
}

void LengthChart::setLengths(const std::vector<std::uint64_t>& rows, int sequenceLength)
{
    m_rows = rows;
    m_sum = std::accumulate(rows.begin(), rows.end(), std::uint64_t{0});
    m_sequenceLength = sequenceLength;
    setCurrent(-1);
    update();
}

LengthChart::Frame LengthChart::frame() const
{
    Frame frame;
    frame.area = QRectF(rect()).adjusted(44, kTitleHeight, -4, -20);
    const auto most = *std::max_element(m_rows.begin(), m_rows.end());
    frame.top = std::max(1e-9, double(most) / double(m_sum)) * 1.08;
    frame.pitch = frame.area.width() / double(m_rows.size());
    return frame;
}

/// As the rows were counted: length l is in column (l - 1) * columns / sequence length.
int LengthChart::longest(int column) const
{
    return int(std::ceil(double(m_sequenceLength) * (column + 1) / double(m_rows.size())));
}

QString LengthChart::describe(int column) const
{
    const int from = column == 0 ? 1 : longest(column - 1) + 1;
    const auto rows = m_rows[static_cast<std::size_t>(column)];
    return tr("%1 to %2 tokens: %3 rows, %4")
        .arg(from)
        .arg(longest(column))
        .arg(displayCount(qint64(rows)), displayPercent(double(rows) / double(m_sum)));
}

void LengthChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    painter.setPen(colours.muted);
    if (m_sum == 0) {
        painter.drawText(rect(), Qt::AlignCenter, tr("The manifest has no row lengths."));
        return;
    }
    const QRectF title(0, 0, width(), kTitleHeight - 4);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter,
                     m_current < 0 ? tr("Tokens per row, share of rows") : describe(m_current));
    QFont small = font();
    small.setPixelSize(kTickPixels);
    painter.setFont(small);
    const Frame place = frame();
    paintScale(painter, place);
    paintColumns(painter, place);
    paintFocusRing(painter, *this, place.area);
}

void LengthChart::paintScale(QPainter& painter, const Frame& frame) const
{
    const ThemeColours& colours = coloursOf(palette());
    const int wanted = std::max(2, int(frame.area.height() / 36));
    for (const double tick : axisTicks(0, frame.top, {Quantity::Share, false, wanted})) {
        const double y = std::round(frame.y(tick)) + 0.5;
        painter.setPen(colours.grid);
        painter.drawLine(QLineF(frame.area.left(), y, frame.area.right(), y));
        painter.setPen(colours.muted);
        painter.drawText(QRectF(0, y - 8, frame.area.left() - 6, 16), Qt::AlignRight | Qt::AlignVCenter,
                         tickText(tick, Quantity::Share));
    }
    const int columns = int(m_rows.size());
    for (int column = 3; column < columns; column += 4) {
        const double right = frame.area.left() + (column + 1) * frame.pitch;
        painter.drawText(QRectF(right - 60, frame.area.bottom() + 3, 60, 16),
                         Qt::AlignRight | Qt::AlignVCenter, QString::number(longest(column)));
    }
}

void LengthChart::paintColumns(QPainter& painter, const Frame& frame) const
{
    const ThemeColours& colours = coloursOf(palette());
    for (int column = 0; column < int(m_rows.size()); ++column) {
        QColor colour = colours.accent;
        if (m_current >= 0 && m_current != column)
            colour.setAlphaF(0.45F);
        const double share = double(m_rows[static_cast<std::size_t>(column)]) / double(m_sum);
        painter.fillRect(frame.column(column, share), colour);
    }
    painter.setPen(colours.border);
    painter.drawLine(frame.area.bottomLeft(), frame.area.bottomRight());
}

void LengthChart::setCurrent(int column)
{
    m_current = column;
    setAccessibleDescription(column < 0 ? QString() : describe(column));
    update();
}

void LengthChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_sum == 0)
        return;
    const Frame place = frame();
    const int column = int(std::floor((event->position().x() - place.area.left()) / place.pitch));
    setCurrent(column >= 0 && column < int(m_rows.size()) ? column : -1);
}

void LengthChart::leaveEvent(QEvent*)
{
    setCurrent(-1);
}

void LengthChart::keyPressEvent(QKeyEvent* event)
{
    const auto current = m_current < 0 ? std::nullopt : std::optional(m_current);
    if (const auto walk = walkOf(*event, current, m_sum == 0 ? 0 : int(m_rows.size())))
        setCurrent(walk->to.value_or(-1));
    else
        QWidget::keyPressEvent(event);
}

} // namespace trainyard
