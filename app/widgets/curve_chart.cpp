#include "app/widgets/curve_chart.h"

#include <algorithm>
#include <cmath>

#include <qcustomplot.h>

#include "app/models/display_text.h"
#include "app/models/theme.h"

namespace trainyard {

namespace {

qsizetype nearest(const QList<double>& x, double at)
{
    if (x.isEmpty())
        return -1;
    const qsizetype after = std::lower_bound(x.begin(), x.end(), at) - x.begin();
    if (after == 0 || after == x.size())
        return after == 0 ? 0 : x.size() - 1;
    return at - x[after - 1] <= x[after] - at ? after - 1 : after;
}

constexpr double kDot = 6;
constexpr double kMark = 9;
constexpr double kHeadroom = 0.06; ///< above the highest value of a chart from zero, of its range
constexpr double kDotRoom = 0.03;  ///< of the span, so that the outer dots are whole

void addMarks(QCustomPlot& plot, const QList<double>& x, double y, const QCPScatterStyle& style)
{
    if (x.isEmpty())
        return;
    QCPGraph* marks = plot.addGraph();
    marks->setLineStyle(QCPGraph::lsNone);
    marks->setScatterStyle(style);
    marks->setData(x, QList<double>(x.size(), y));
}

bool wasSkipped(const Curve& curve, double x)
{
    return std::binary_search(curve.skipped.begin(), curve.skipped.end(), x);
}

QColor faint(QColor colour)
{
    colour.setAlphaF(0.28);
    return colour;
}

} // namespace

CurveChart::CurveChart(const QString& subject, Quantity quantity, QWidget* parent)
    : ChartPanel(subject, quantity, parent)
{
}

void CurveChart::setCurves(const QList<Curve>& curves)
{
    m_curves = curves;
    scheduleRebuild();
}

bool CurveChart::isEmpty() const
{
    return std::all_of(m_curves.begin(), m_curves.end(), [](const Curve& c) { return c.x.isEmpty(); });
}

bool CurveChart::isSmoothed() const
{
    return m_smoothable && options().smoothing.weight > 0;
}

QCPRange CurveChart::fullSpan() const
{
    QCPRange span(0, 1);
    bool first = true;
    for (const Curve& curve : m_curves) {
        if (curve.x.isEmpty())
            continue;
        const QCPRange own(curve.x.first(), curve.x.last());
        span = first ? own : span.expanded(own);
        first = false;
    }
    const bool marked =
        std::any_of(m_curves.begin(), m_curves.end(), [](const Curve& c) { return c.marked; });
    const double room = marked ? span.size() * kDotRoom : 0;
    return {span.lower - room, span.upper + room};
}

void CurveChart::rebuild()
{
    plot().clearPlottables();
    m_drawn.clear();
    const ColourScheme scheme = coloursOf(palette()).scheme;
    for (const Curve& curve : m_curves) {
        m_drawn.append(isSmoothed() ? smoothed(curve.x, curve.y, options().smoothing) : curve.y);
        const SeriesStyle style = seriesStyle(scheme, curve.style);
        if (isSmoothed())
            addLine(curve.x, curve.y, QPen(faint(style.colour), 1), false);
    }
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const SeriesStyle style = seriesStyle(scheme, m_curves[i].style);
        addLine(m_curves[i].x, m_drawn[i], QPen(style.colour, 1.8, style.line, Qt::FlatCap, Qt::RoundJoin),
                m_curves[i].marked);
    }
    const bool logarithmic = plot().yAxis->scaleType() == QCPAxis::stLogarithmic;
    m_range = axisRange(valuesWithin(shownSpan()), {options().hideOutliers, logarithmic});
    if (m_fromZero && !logarithmic)
        extendToZero();
    plot().yAxis->setRange(m_range.lower, m_range.upper);
    addNotFiniteMarks(coloursOf(scheme).bad);
    addSkippedMarks(coloursOf(scheme).warning);
    describeHidden();
}

void CurveChart::extendToZero()
{
    m_range.lower = std::min(0.0, m_range.lower);
    m_range.upper += kHeadroom * (m_range.upper - m_range.lower);
}

/// The newest value is in the lower half of the plot, so there is room above it.
bool CurveChart::endsLow() const
{
    for (qsizetype i = 0; i < m_drawn.size(); ++i) {
        if (!m_drawn[i].isEmpty())
            return m_drawn[i].last() < (m_range.lower + m_range.upper) / 2;
    }
    return true;
}

void CurveChart::addLine(const QList<double>& x, const QList<double>& y, const QPen& pen, bool dots)
{
    QCPGraph* graph = plot().addGraph();
    graph->setPen(pen);
    graph->setAdaptiveSampling(true); // keeps the extremes of each pixel column
    graph->setData(x, y, true);
    if (dots || x.size() == 1)
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, pen.color(), kDot));
}

/// Triangles on the axis where a figure is not a number: hiding them would hide the failure.
void CurveChart::addNotFiniteMarks(const QColor& colour)
{
    QList<double> x;
    for (const Curve& curve : m_curves) {
        for (qsizetype i = 0; i < curve.x.size(); ++i) {
            if (!std::isfinite(curve.y[i]) && !wasSkipped(curve, curve.x[i]))
                x.append(curve.x[i]);
        }
    }
    m_notFinite = x.size();
    addMarks(plot(), x, m_range.lower, QCPScatterStyle(QCPScatterStyle::ssTriangle, colour, colour, kMark));
}

/// Diamonds on the axis: a skipped step is no failure, but the run moved no weight in it.
void CurveChart::addSkippedMarks(const QColor& colour)
{
    QList<double> x;
    for (const Curve& curve : m_curves)
        x.append(curve.skipped);
    m_skipped = x.size();
    addMarks(plot(), x, m_range.lower, QCPScatterStyle(QCPScatterStyle::ssDiamond, colour, colour, kMark));
}

QList<double> CurveChart::valuesWithin(const QCPRange& span) const
{
    QList<double> values;
    for (const Curve& curve : m_curves) {
        const auto from = std::lower_bound(curve.x.begin(), curve.x.end(), span.lower) - curve.x.begin();
        const auto to = std::upper_bound(curve.x.begin(), curve.x.end(), span.upper) - curve.x.begin();
        values.append(curve.y.mid(from, to - from));
    }
    return values;
}

void CurveChart::describeHidden()
{
    QStringList parts;
    if (m_range.outside > 0)
        parts.append(m_range.outside == 1 ? tr("1 point outside")
                                          : tr("%1 points outside").arg(displayCount(m_range.outside)));
    if (m_notFinite > 0)
        parts.append(tr("▲ %1 not a number").arg(displayCount(m_notFinite)));
    if (m_skipped > 0)
        parts.append(tr("◆ %1 skipped").arg(displayCount(m_skipped)));
    setBadge(parts.join(QStringLiteral("  ·  ")), endsLow());
}

double CurveChart::snapped(double x) const
{
    double best = x;
    double distance = std::numeric_limits<double>::infinity();
    for (const Curve& curve : m_curves) {
        const qsizetype at = nearest(curve.x, x);
        if (at >= 0 && std::fabs(curve.x[at] - x) < distance) {
            best = curve.x[at];
            distance = std::fabs(best - x);
        }
    }
    return best;
}

QString CurveChart::readOut(double x, bool isCursor) const
{
    const QString value = briefReadOut(x, isCursor);
    const qsizetype at = m_curves.size() == 1 ? nearest(m_curves.first().x, x) : -1;
    if (at < 0 || !isSmoothed() || m_drawn.isEmpty() || at >= m_drawn.first().size())
        return value;
    return value + tr(" (smoothed %1)").arg(figureText(m_drawn.first()[at], quantity()));
}

QString CurveChart::briefReadOut(double x, bool isCursor) const
{
    const QString position = isCursor ? positionText(options().axis, x) : QString();
    const qsizetype at = m_curves.size() == 1 ? nearest(m_curves.first().x, x) : -1;
    if (at < 0) // a legend has the room for many values
        return position;
    const double y = m_curves.first().y[at];
    const bool skipped = wasSkipped(m_curves.first(), m_curves.first().x[at]);
    const QString number = std::isfinite(y) ? figureText(y, quantity()) : tr("not a number");
    const QString value = skipped ? tr("%1, step skipped").arg(number) : number;
    return position.isEmpty() ? value : position + QStringLiteral("  ·  ") + value;
}

QString CurveChart::valueText(qsizetype curve, double x) const
{
    const qsizetype at = nearest(m_curves[curve].x, x);
    return at < 0 ? QString() : figureText(m_curves[curve].y[at], quantity());
}

double CurveChart::neighbour(double x, int direction) const
{
    if (m_curves.isEmpty() || m_curves.first().x.isEmpty())
        return x;
    const QList<double>& positions = m_curves.first().x;
    const qsizetype at = std::clamp<qsizetype>(nearest(positions, x) + direction, 0, positions.size() - 1);
    return positions[at];
}

} // namespace trainyard
