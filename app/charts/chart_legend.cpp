#include "app/charts/chart_legend.h"

#include <algorithm>

#include <QPainter>
#include <QPolygonF>
#include <QResizeEvent>

#include "app/base/display_text.h"

namespace trainyard {

void paintMarker(QPainter& painter, ChartMarker marker, const QPointF& centre, double radius,
                 const QColor& colour)
{
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    const QPointF right(radius, 0);
    const QPointF down(0, radius);
    switch (marker) {
    case ChartMarker::Square:
        painter.drawRect(QRectF(centre - right - down, centre + right + down));
        break;
    case ChartMarker::Diamond:
        painter.drawPolygon(QPolygonF{
            {centre - 1.4 * down, centre + 1.4 * right, centre + 1.4 * down, centre - 1.4 * right}});
        break;
    case ChartMarker::Triangle:
        painter.drawPolygon(
            QPolygonF{{centre - 1.3 * down, centre + 1.3 * right + down, centre - 1.3 * right + down}});
        break;
    case ChartMarker::Circle:
        painter.drawEllipse(centre, 1.15 * radius, 1.15 * radius);
        break;
    }
}

namespace {

constexpr int kLine = 18;
constexpr int kMark = 10;
constexpr int kMarkGap = 6;
constexpr int kEntryGap = 14;
constexpr int kMinWidth = 120;
constexpr double kMarkerRadius = 4;

template <typename Kind>
QList<LegendEntry> legendOf(std::size_t count)
{
    QList<LegendEntry> entries;
    for (std::size_t i = 0; i < count; ++i) {
        const auto kind = static_cast<Kind>(i);
        entries.append({toQString(nameOf(kind)), colourOf(kind, ColourScheme::Light),
                        colourOf(kind, ColourScheme::Dark)});
    }
    return entries;
}

} // namespace

ChartLegend::ChartLegend(QWidget* parent) : QWidget(parent)
{
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void ChartLegend::setEntries(const QList<LegendEntry>& entries)
{
    m_entries = entries;
    QStringList names;
    for (const LegendEntry& entry : entries)
        names.append(entry.text);
    setAccessibleName(tr("Legend: %1").arg(names.join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

QList<QRect> ChartLegend::places(int width) const
{
    QList<QRect> places;
    int x = 0;
    int y = 0;
    for (const LegendEntry& entry : m_entries) {
        const int needed = kMark + kMarkGap + fontMetrics().horizontalAdvance(entry.text);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += kLine;
        }
        places.append(QRect(x, y, std::min(needed, width), kLine));
        x += needed + kEntryGap;
    }
    return places;
}

int ChartLegend::heightForWidth(int width) const
{
    const QList<QRect> all = places(width);
    return all.isEmpty() ? 0 : all.last().bottom() + 1;
}

QSize ChartLegend::sizeHint() const
{
    return {360, heightForWidth(std::max(width(), 360))};
}

/// For layouts that do not ask what height a width needs, as those around tabs.
QSize ChartLegend::minimumSizeHint() const
{
    return {kMinWidth, std::max(kLine, heightForWidth(std::max(width(), kMinWidth)))};
}

void ChartLegend::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        updateGeometry();
}

void ChartLegend::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const ThemeColours& colours = coloursOf(palette());
    const QList<QRect> all = places(width());
    for (qsizetype i = 0; i < all.size(); ++i) {
        const LegendEntry& entry = m_entries[i];
        const QColor colour = colours.scheme == ColourScheme::Dark ? entry.dark : entry.light;
        const QRect place = all[i];
        const QRectF mark(place.left(), place.center().y() - kMark / 2 + 0.5, kMark, kMark);
        if (entry.marker) {
            paintMarker(painter, *entry.marker, mark.center(), kMarkerRadius, colour);
        } else if (entry.line == Qt::NoPen) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colour);
            painter.drawRoundedRect(mark, 2, 2);
        } else {
            painter.setPen(QPen(colour, 2, entry.line, Qt::FlatCap));
            painter.drawLine(QLineF(mark.left(), mark.center().y(), mark.right(), mark.center().y()));
        }
        painter.setPen(colours.muted);
        const QRect text = place.adjusted(kMark + kMarkGap, 0, 0, 0);
        painter.drawText(text, Qt::AlignVCenter | Qt::AlignLeft,
                         fontMetrics().elidedText(entry.text, Qt::ElideMiddle, text.width() + 1));
    }
}

QList<LegendEntry> memoryLegend()
{
    return legendOf<MemoryCategory>(kMemoryCategories);
}

QList<LegendEntry> causeLegend()
{
    return legendOf<CommonCause>(kCommonCauses);
}

} // namespace trainyard
