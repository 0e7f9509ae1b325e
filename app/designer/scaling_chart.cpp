#include "app/designer/scaling_chart.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/series/axis.h"
#include "app/widgets/item_walk.h"

namespace trainyard {

namespace {

constexpr int kLeft = 48;
constexpr int kTop = 8;
constexpr int kRight = 16;
constexpr int kBottom = 20;
constexpr int kTickPixels = 11;
constexpr int kTickRoom = 48; ///< pixels from tick to tick, about
constexpr double kHeadroom = 1.08;
constexpr double kDot = 3;
constexpr double kMarker = 3.5;
constexpr double kRing = 5.5;

} // namespace

/// Maps sizes and values to positions in the widget.
struct ScalingChart::Frame {
    QRectF area;
    double fewest = 1; ///< devices at the left edge
    double most = 2;   ///< and at the right one
    double least = 0;  ///< value at the lower edge
    double top = 1;
    bool logarithmic = false;

    double x(double devices) const
    {
        return area.left() + std::log2(devices / fewest) / std::log2(most / fewest) * area.width();
    }
    double y(double value) const
    {
        const double share = logarithmic ? std::log2(std::max(value, least) / least) / std::log2(top / least)
                                         : (value - least) / (top - least);
        return area.bottom() - share * area.height();
    }
    QPointF point(double devices, double value) const { return {x(devices), y(value)}; }
};

ScalingChart::ScalingChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(tr("Predicted scaling"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void ScalingChart::setForecast(const ScalingForecast& forecast)
{
    m_forecast = forecast;
    setCurrent({});
    update();
}

void ScalingChart::clear(const QString& why)
{
    m_emptyText = why;
    setForecast({});
}

void ScalingChart::setKept(const ScalingForecast& forecast)
{
    m_kept = forecast.steps;
    update();
}

ChartMarker ScalingChart::markerOfPublished(std::size_t index)
{
    return static_cast<ChartMarker>(index % kChartMarkers);
}

void ScalingChart::setMetric(Metric metric)
{
    m_metric = metric;
    update();
}

double ScalingChart::valueOf(const ScalingStep& step) const
{
    return m_metric == Metric::Efficiency ? step.efficiency : step.sequencesPerSecond;
}

double ScalingChart::valueOf(const PublishedPoint& point) const
{
    return m_metric == Metric::Efficiency ? point.efficiency : point.sequencesPerSecond;
}

double ScalingChart::idealAt(int ranks) const
{
    return m_metric == Metric::Efficiency ? 1 : m_forecast.steps.front().perDevice * ranks;
}

ScalingChart::Frame ScalingChart::frame() const
{
    Frame frame;
    frame.area = QRectF(rect()).adjusted(kLeft, kTop, -kRight, -kBottom);
    frame.logarithmic = m_metric == Metric::Throughput;
    double fewest = m_forecast.steps.front().ranks;
    double most = m_forecast.steps.back().ranks;
    double least = valueOf(m_forecast.steps.front());
    double top = idealAt(m_forecast.steps.back().ranks);
    for (const ScalingStep& step : m_forecast.steps)
        top = std::max(top, valueOf(step));
    for (const ScalingStep& step : m_kept) {
        fewest = std::min<double>(fewest, step.ranks);
        most = std::max<double>(most, step.ranks);
        least = std::min(least, valueOf(step));
        top = std::max(top, valueOf(step));
    }
    for (const PublishedCurve& curve : m_forecast.published) {
        for (const PublishedPoint& point : curve.points) {
            fewest = std::min<double>(fewest, point.devices);
            most = std::max<double>(most, point.devices);
            least = std::min(least, valueOf(point));
            top = std::max(top, valueOf(point));
        }
    }
    frame.fewest = fewest;
    frame.most = std::max(most, 2 * fewest);
    frame.least = frame.logarithmic ? least / kHeadroom : 0;
    frame.top = top * kHeadroom;
    return frame;
}

void ScalingChart::paintAxes(QPainter& painter, const Frame& frame) const
{
    const ThemeColours& colours = coloursOf(palette());
    const Quantity quantity = m_metric == Metric::Efficiency ? Quantity::Share : Quantity::Number;
    const int rows = std::max(2, static_cast<int>(frame.area.height()) / 32);
    for (const double tick : axisTicks(frame.least, frame.top, {quantity, frame.logarithmic, rows})) {
        const double y = std::round(frame.y(tick)) + 0.5;
        painter.setPen(colours.grid);
        painter.drawLine(QPointF(frame.area.left(), y), QPointF(frame.area.right(), y));
        painter.setPen(colours.muted);
        painter.drawText(QRectF(0, y - kTickPixels, kLeft - 6, 2 * kTickPixels),
                         Qt::AlignRight | Qt::AlignVCenter, tickText(tick, quantity));
    }
    const double doublings = std::log2(frame.most / frame.fewest);
    const int stride = std::max(1, static_cast<int>(std::ceil(doublings * kTickRoom / frame.area.width())));
    for (int n = 0; n <= doublings + 1e-9; n += stride) {
        const double devices = frame.fewest * std::exp2(n);
        painter.drawText(QRectF(frame.x(devices) - kTickRoom / 2.0, frame.area.bottom() + 3, kTickRoom, 16),
                         Qt::AlignHCenter | Qt::AlignTop, displayCount(std::llround(devices)));
    }
}

QPolygonF ScalingChart::curveOf(const std::vector<ScalingStep>& steps, const Frame& frame) const
{
    QPolygonF curve;
    for (const ScalingStep& step : steps)
        curve << frame.point(step.ranks, valueOf(step));
    return curve;
}

void ScalingChart::paintPrediction(QPainter& painter, const Frame& frame) const
{
    const ThemeColours& colours = coloursOf(palette());
    const ScalingStep& first = m_forecast.steps.front();
    const ScalingStep& last = m_forecast.steps.back();
    painter.setPen(QPen(colours.muted, 1.2, Qt::DashLine));
    painter.drawLine(frame.point(first.ranks, idealAt(first.ranks)),
                     frame.point(last.ranks, idealAt(last.ranks)));
    const QColor colour = seriesStyle(colours.scheme, 0).colour;
    painter.setPen(QPen(colour, 1.5, Qt::DotLine));
    painter.drawPolyline(curveOf(m_kept, frame));
    const QPolygonF curve = curveOf(m_forecast.steps, frame);
    painter.setPen(QPen(colour, 2));
    painter.drawPolyline(curve);
    painter.setBrush(colours.panel);
    if (const auto present = m_forecast.present())
        painter.drawEllipse(frame.point(present->ranks, valueOf(*present)), kRing, kRing);
    painter.setBrush(colour);
    painter.setPen(Qt::NoPen);
    for (const QPointF& point : curve)
        painter.drawEllipse(point, kDot, kDot);
}

/// Paints published points solid, because they are measured.
void ScalingChart::paintPublished(QPainter& painter, const Frame& frame) const
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    for (std::size_t i = 0; i < m_forecast.published.size(); ++i) {
        const QColor colour = seriesStyle(scheme, styleOfPublished(i)).colour;
        for (const PublishedPoint& point : m_forecast.published[i].points)
            paintMarker(painter, markerOfPublished(i), frame.point(point.devices, valueOf(point)), kMarker,
                        colour);
    }
}

void ScalingChart::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    const ThemeColours& colours = coloursOf(palette());
    if (m_forecast.steps.empty()) {
        painter.setPen(colours.muted);
        painter.drawText(rect(), Qt::AlignCenter | Qt::TextWordWrap, m_emptyText);
        return;
    }
    QFont small = font();
    small.setPixelSize(kTickPixels);
    painter.setFont(small);
    const Frame place = frame();
    paintAxes(painter, place);
    painter.setRenderHint(QPainter::Antialiasing);
    paintPublished(painter, place);
    paintPrediction(painter, place);
    if (m_current) {
        const double x = place.x(m_forecast.steps[*m_current].ranks);
        painter.setPen(QPen(colours.muted, 1, Qt::DashLine));
        painter.drawLine(QPointF(x, place.area.top()), QPointF(x, place.area.bottom()));
    }
    paintFocusRing(painter, *this, place.area);
}

QString ScalingChart::presentReadOut() const
{
    const auto present = m_forecast.present();
    return present ? readOut(*present) : QString();
}

QString ScalingChart::readOut(const ScalingStep& step) const
{
    QStringList parts{tr("%1 devices").arg(displayCount(step.ranks)),
                      tr("%1 seq/s").arg(displayNumber(step.sequencesPerSecond)),
                      displayPercent(step.efficiency),
                      tr("global batch %1").arg(displayCount(step.globalBatch))};
    for (const PublishedCurve& curve : m_forecast.published) {
        for (const PublishedPoint& point : curve.points) {
            if (point.devices == step.ranks)
                parts << tr("published %1 seq/s, %2")
                             .arg(displayNumber(point.sequencesPerSecond), displayPercent(point.efficiency));
        }
    }
    return parts.join(QStringLiteral(" · "));
}

void ScalingChart::setCurrent(std::optional<std::size_t> step)
{
    m_current = step;
    const QString text = step ? readOut(m_forecast.steps[*step]) : QString();
    setAccessibleDescription(step ? text : m_forecast.steps.empty() ? m_emptyText : presentReadOut());
    update();
    emit readOutChanged(text);
}

void ScalingChart::mouseMoveEvent(QMouseEvent* event)
{
    if (m_forecast.steps.empty())
        return;
    const Frame place = frame();
    const auto distance = [&](const ScalingStep& step) {
        return std::abs(place.x(step.ranks) - event->position().x());
    };
    const auto nearest = std::min_element(
        m_forecast.steps.begin(), m_forecast.steps.end(),
        [&](const ScalingStep& a, const ScalingStep& b) { return distance(a) < distance(b); });
    setCurrent(static_cast<std::size_t>(nearest - m_forecast.steps.begin()));
}

void ScalingChart::leaveEvent(QEvent*)
{
    setCurrent({});
}

void ScalingChart::keyPressEvent(QKeyEvent* event)
{
    const auto current = m_current ? std::optional(static_cast<int>(*m_current)) : std::nullopt;
    const auto walk = walkOf(*event, current, static_cast<int>(m_forecast.steps.size()));
    if (!walk)
        return QWidget::keyPressEvent(event);
    setCurrent(walk->to ? std::optional(static_cast<std::size_t>(*walk->to)) : std::nullopt);
}

} // namespace trainyard
