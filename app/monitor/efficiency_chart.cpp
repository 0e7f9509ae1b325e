#include "app/monitor/efficiency_chart.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kLeft = 56;
constexpr int kBottom = 24;
constexpr int kEdge = 12;
constexpr double kDot = 4;        ///< radius, pixels
constexpr double kReach = 14;     ///< pixels from a point that still point at it
constexpr double kGridStep = 0.2; ///< of efficiency

} // namespace

EfficiencyChart::EfficiencyChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Scaling efficiency over ranks"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void EfficiencyChart::setStudy(const ScalingStudy& study)
{
    m_study = study;
    m_marks.clear();
    addMarks(study.strong, kStrongStyle, tr("strong"));
    addMarks(study.weak, kWeakStyle, tr("weak"));
    for (const PublishedCurve& curve : study.published) {
        const QString title = oneLine(QString::fromStdString(curve.title));
        for (const PublishedPoint& point : curve.points)
            m_marks.append(
                {point.devices, point.efficiency,
                 tr("published, %1: %2, efficiency %3")
                     .arg(title, displayCounted(point.devices, "device"), displayPercent(point.efficiency)),
                 kPublishedStyle});
    }
    std::ranges::stable_sort(m_marks, {}, &Mark::ranks);
    m_fewest = m_marks.isEmpty() ? 1 : m_marks.first().ranks;
    m_most = m_marks.isEmpty() ? 2 : std::max(m_marks.last().ranks, 2 * m_fewest);
    m_highest = 1.1;
    for (const Mark& mark : m_marks)
        m_highest = std::max(m_highest, mark.efficiency * 1.05);
    setCurrent(-1);
    update();
}

void EfficiencyChart::addMarks(const QList<StudyPoint>& points, int style, const QString& title)
{
    for (const StudyPoint& point : points) {
        QString words = tr("%1, %2: %3, %4 seq/s, efficiency %5")
                            .arg(title, point.name, displayCounted(point.worldSize, "rank"),
                                 displayNumber(point.sequencesPerSecond), displayPercent(point.efficiency));
        if (std::isfinite(point.utilisation))
            words += tr(", MFU %1").arg(displayPercent(point.utilisation));
        m_marks.append({point.worldSize, point.efficiency, words, style});
    }
}

QRectF EfficiencyChart::area() const
{
    return QRectF(rect()).adjusted(kLeft, kEdge, -2 * kEdge, -kBottom);
}

QPointF EfficiencyChart::placeOf(int ranks, double efficiency) const
{
    const QRectF plot = area();
    const double x = std::log2(double(ranks) / m_fewest) / std::log2(double(m_most) / m_fewest);
    return {plot.left() + x * plot.width(), plot.bottom() - efficiency / m_highest * plot.height()};
}

void EfficiencyChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxes(painter);
    paintPublished(painter);
    paintCurve(painter, m_study.weak, kWeakStyle);
    paintCurve(painter, m_study.strong, kStrongStyle);
    const ThemeColours& colours = coloursOf(palette());
    painter.setBrush(Qt::NoBrush);
    if (m_current >= 0) {
        painter.setPen(QPen(colours.text, 2));
        painter.drawEllipse(placeOf(m_marks[m_current].ranks, m_marks[m_current].efficiency), 2 * kDot,
                            2 * kDot);
    }
    paintFocusRing(painter, *this, rect());
}

void EfficiencyChart::paintAxes(QPainter& painter) const
{
    const ThemeColours& colours = coloursOf(palette());
    const QRectF plot = area();
    for (double level = 0; level <= m_highest; level += kGridStep) {
        const double y = placeOf(m_fewest, level).y();
        painter.setPen(colours.grid);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(colours.muted);
        painter.drawText(QRectF(0, y - 10, kLeft - 8, 20), Qt::AlignRight | Qt::AlignVCenter,
                         QStringLiteral("%1 %").arg(std::lround(level * 100)));
    }
    for (int ranks = m_fewest; ranks <= m_most; ranks *= 2) {
        const double x = placeOf(ranks, 0).x();
        painter.setPen(colours.grid);
        painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()));
        painter.setPen(colours.muted);
        painter.drawText(QRectF(x - 40, plot.bottom() + 4, 80, kBottom - 4), Qt::AlignHCenter | Qt::AlignTop,
                         displayCount(ranks));
    }
    painter.setPen(QPen(colours.muted, 1, Qt::DashLine));
    painter.drawLine(placeOf(m_fewest, 1), placeOf(m_most, 1));
    painter.drawText(QRectF(placeOf(m_most, 1) - QPointF(80, 20), QSizeF(80, 18)), Qt::AlignRight,
                     tr("ideal"));
}

void EfficiencyChart::paintCurve(QPainter& painter, const QList<StudyPoint>& points, int style) const
{
    const QColor colour = seriesStyle(coloursOf(palette()).scheme, style).colour;
    QPolygonF line;
    for (const StudyPoint& point : points)
        line << placeOf(point.worldSize, point.efficiency);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colour, 2, style == kWeakStyle ? Qt::DashLine : Qt::SolidLine));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    for (const QPointF& place : line)
        painter.drawEllipse(place, kDot, kDot);
}

void EfficiencyChart::paintPublished(QPainter& painter) const
{
    const QColor colour = seriesStyle(coloursOf(palette()).scheme, kPublishedStyle).colour;
    painter.setPen(QPen(colour, 1.5));
    painter.setBrush(coloursOf(palette()).panel);
    for (const Mark& mark : m_marks) {
        if (mark.style != kPublishedStyle)
            continue;
        const QPointF at = placeOf(mark.ranks, mark.efficiency);
        painter.drawPolygon(QPolygonF{at + QPointF(0, -kDot - 1), at + QPointF(kDot + 1, 0),
                                      at + QPointF(0, kDot + 1), at + QPointF(-kDot - 1, 0)});
    }
}

void EfficiencyChart::setCurrent(int mark)
{
    if (mark == m_current)
        return;
    m_current = mark;
    const QString words = mark < 0 ? QString() : m_marks[mark].words;
    setAccessibleDescription(words);
    update();
    emit readOutChanged(words);
}

void EfficiencyChart::mouseMoveEvent(QMouseEvent* event)
{
    int nearest = -1;
    double distance = kReach;
    for (int i = 0; i < m_marks.size(); ++i) {
        const QPointF away = placeOf(m_marks[i].ranks, m_marks[i].efficiency) - event->position();
        if (const double d = std::hypot(away.x(), away.y()); d < distance) {
            nearest = i;
            distance = d;
        }
    }
    setCurrent(nearest);
}

void EfficiencyChart::leaveEvent(QEvent*)
{
    setCurrent(-1);
}

void EfficiencyChart::keyPressEvent(QKeyEvent* event)
{
    const auto current = m_current < 0 ? std::nullopt : std::optional(m_current);
    if (const auto walk = walkOf(*event, current, int(m_marks.size())))
        return setCurrent(walk->to.value_or(-1));
    QWidget::keyPressEvent(event);
}

} // namespace trainyard
