#include "app/charts/curve_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QThread>

#include <qcustomplot.h>

#include "app/base/csv_text.h"
#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/charts/curve_layer.h"

namespace trainyard {

namespace {

constexpr double kMark = 9;
constexpr double kHeadroom = 0.06;       ///< above the highest value of a chart from zero, of its range
constexpr double kDotRoom = 0.03;        ///< of the span, so that the outer dots are whole
constexpr qsizetype kPointsPerPixel = 2; ///< with more, a pixel shows the least and the most of them
constexpr qsizetype kFineCurves = 12;    ///< more of them get lines of one pixel
constexpr std::size_t kSamples = 30'000; ///< of which an axis is made
constexpr qsizetype kQuickCount = 200'000;
constexpr int kWaitMs = 10;
constexpr int kStandsStill = 15;    ///< waits that a picture has to last to be counted in
constexpr double kAhead = 1.0 / 64; ///< of a growing span, that the axis goes beyond it
constexpr double kGoodShare = 0.95; ///< of a range that has to be filled for it to stay
constexpr int kFaintPercent = 28;
constexpr int kBandPercent = 18;
const QList<qreal> kGaps{5, 5}; ///< of a curve on another one, in widths of its pen

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

/// Rows that are not finite because their step was skipped, ascending.
QList<qsizetype> forgivenRows(const Curve& curve)
{
    QList<qsizetype> rows;
    for (const double x : curve.skipped) {
        const qsizetype row = curve.x.lowerBound(x);
        if (row < curve.y.size() && !std::isfinite(curve.y[row]))
            rows.append(row);
    }
    return rows;
}

qsizetype countWithin(const QList<qsizetype>& rows, qsizetype from, qsizetype to)
{
    return std::lower_bound(rows.begin(), rows.end(), to) - std::lower_bound(rows.begin(), rows.end(), from);
}

/// Of the curve itself, not of the raw values behind an average.
QPen penOf(const Curve& curve, ColourScheme scheme)
{
    const SeriesStyle style = seriesStyle(scheme, curve.style);
    QPen pen(style.colour, 1.8, style.line, Qt::FlatCap, Qt::RoundJoin);
    if (!curve.sameAs.isEmpty())
        pen.setDashPattern(kGaps);
    return pen;
}

QColor translucent(QColor colour, int percent)
{
    colour.setAlpha(255 * percent / 100);
    return colour;
}

/// Extremes and newest values of the columns, with the extremes of all of them.
std::vector<double> samplesOf(const std::vector<ValueSummary>& columns, std::size_t wanted)
{
    const std::size_t stride =
        std::max<std::size_t>(1, 3 * columns.size() / std::max<std::size_t>(1, wanted));
    std::vector<double> samples;
    ValueSummary all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        all.add(columns[i]);
        if (columns[i].finite > 0 && i % stride == 0)
            samples.insert(samples.end(), {columns[i].min, columns[i].max, columns[i].last});
    }
    if (all.finite > 0)
        samples.insert(samples.end(), {all.min, all.max});
    return samples;
}

QString joinedParts(const QStringList& parts)
{
    QStringList there = parts;
    there.removeAll(QString());
    return there.join(QStringLiteral("  ·  "));
}

/// A range that need not be changed for what it has to show now.
bool isGoodFor(const AxisRange& wanted, const AxisRange& range)
{
    return range.lower <= wanted.lower && wanted.upper <= range.upper &&
           wanted.upper - wanted.lower >= kGoodShare * (range.upper - range.lower);
}

} // namespace

CurveChart::CurveChart(const QString& subject, Quantity quantity, QWidget* parent)
    : ChartPanel(subject, quantity, parent)
    , m_layer(new CurveLayer(*plot().xAxis, *plot().yAxis))
    , m_outside([this](qsizetype count) {
        m_range.outside = count;
        describeHidden();
    })
{
}

void CurveChart::setCurves(const QList<Curve>& curves)
{
    const bool goOn = std::ranges::equal(curves, m_curves, [](const Curve& curve, const Curve& before) {
        return curve.x.startsWith(before.x);
    });
    m_curves = curves;
    for (Curve& curve :
         m_curves) { // positions and values may have been taken at different moments of a live run
        const qsizetype rows = std::min(curve.x.size(), curve.y.size());
        curve.x.truncate(rows);
        curve.y.truncate(rows);
    }
    followSpan(goOn);
    scheduleRebuild();
}

const std::vector<DrawnLine>& CurveChart::lines() const
{
    return m_layer->lines();
}

bool CurveChart::isEmpty() const
{
    return std::all_of(m_curves.begin(), m_curves.end(), [](const Curve& c) { return c.x.isEmpty(); });
}

bool CurveChart::isSmoothed() const
{
    return m_smoothable && options().smoothing.weight > 0;
}

ChartSpan CurveChart::dataSpan() const
{
    std::optional<ChartSpan> span;
    for (const Curve& curve : m_curves) {
        if (curve.x.isEmpty())
            continue;
        const ChartSpan own{curve.x.first(), curve.x.last()};
        span = span ? ChartSpan{std::min(span->from, own.from), std::max(span->to, own.to)} : own;
    }
    return span.value_or(ChartSpan{0, 1});
}

/// An axis that moved with every new point of curves that go on would have every pixel drawn anew.
void CurveChart::followSpan(bool goOn)
{
    const ChartSpan before = std::exchange(m_span, dataSpan());
    const bool hasGrown = m_span.to > before.to;
    if (!goOn || m_span.from != before.from)
        m_end = m_span.to;
    else if (m_span.to > m_end)
        m_end = m_span.to + (hasGrown ? kAhead * (m_span.to - m_span.from) : 0);
}

QCPRange CurveChart::fullSpan() const
{
    const bool marked =
        std::any_of(m_curves.begin(), m_curves.end(), [](const Curve& c) { return c.marked; });
    const double room = marked ? (m_end - m_span.from) * kDotRoom : 0;
    return {m_span.from - room, m_end + room};
}

void CurveChart::rebuild()
{
    plot().clearGraphs();
    m_smoothed.resize(isSmoothed() ? std::size_t(m_curves.size()) : 0);
    parallelFor(m_smoothed.size(), [this](std::size_t i) {
        const Curve& curve = m_curves.at(qsizetype(i));
        m_smoothed[i].follow(curve.x, curve.y, options().smoothing);
    });
    followViews();
    fitVertically();
    drawLines();
    const ThemeColours& colours = coloursOf(palette());
    addNotFiniteMarks(colours.bad);
    addSkippedMarks(colours.warning);
    describeHidden();
}

void CurveChart::followViews()
{
    const QCPRange span = shownSpan();
    const int pixels = std::max(1, int(plot().axisRect()->width() * plot().bufferDevicePixelRatio()));
    PixelEdges edges = pixelEdges(span.lower, span.upper, pixels, isHorizontallyLogarithmic());
    m_sameEdges = edges == m_edges;
    m_edges = std::move(edges);
    m_views.resize(std::size_t(m_curves.size()));
    const std::vector<std::size_t> placed = placedLike();
    parallelFor(m_views.size(), [&](std::size_t i) {
        const Curve& curve = m_curves.at(qsizetype(i));
        if (placed[i] == i)
            m_views[i].followPositions(curve.x, curve.y, m_edges, m_sameEdges);
    });
    parallelFor(m_views.size(), [&](std::size_t i) {
        const Curve& curve = m_curves.at(qsizetype(i));
        if (placed[i] != i)
            m_views[i].takePositions(m_views[placed[i]], curve.x, curve.y, m_sameEdges);
        m_views[i].followValues();
        if (!isSmoothed())
            m_views[i].dropAverages();
        else if (isDense(i))
            m_views[i].followAverages(m_smoothed[i]);
    });
}

/// Too many points to be drawn one by one.
bool CurveChart::isDense(std::size_t curve) const
{
    return m_views[curve].count() > kPointsPerPixel * qsizetype(m_edges.size() - 1);
}

/// Since the chart was drawn before, and nothing else has happened to it.
bool CurveChart::hasGrown() const
{
    return m_sameEdges &&
           std::ranges::all_of(m_views, [](const CurveView& view) { return view.changedFrom() > 0; }) &&
           std::ranges::any_of(
               m_views, [](const CurveView& view) { return view.changedFrom() + 1 < view.rows().size(); });
}

/// Of each curve the first of those before it that has the same positions, as figures of one run have; itself
/// where there is none.
std::vector<std::size_t> CurveChart::placedLike() const
{
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < std::size_t(m_curves.size()); ++i) {
        const bool same = i > 0 && m_curves.at(qsizetype(i)).x.isSame(m_curves.at(qsizetype(i) - 1).x);
        list.push_back(same ? list.back() : i);
    }
    return list;
}

DrawnLine CurveChart::rawLine(std::size_t curve, const QPen& pen) const
{
    DrawnLine line{pen};
    const CurveView& view = m_views[curve];
    if (isDense(curve)) {
        line.columns = view.columns();
        line.changedFrom = view.changedFrom();
        line.stroked = false;
        return line;
    }
    const Curve& drawn = m_curves.at(qsizetype(curve));
    // One point more on either side, so that the line runs out of the picture.
    const qsizetype from = std::max<qsizetype>(0, view.rows().front() - 1);
    const qsizetype to = std::min(drawn.x.size(), view.rows().back() + 1);
    for (qsizetype row = from; row < to; ++row)
        line.points.emplace_back(drawn.x[row], drawn.y[row]);
    line.dots = drawn.marked || drawn.aside || drawn.x.size() == 1;
    return line;
}

DrawnLine CurveChart::smoothedLine(std::size_t curve, const QPen& pen) const
{
    DrawnLine line{pen};
    const CurveView& view = m_views[curve];
    if (isDense(curve)) {
        line.columns = view.averages();
        line.changedFrom = view.averageChangedFrom();
        return line;
    }
    line = rawLine(curve, pen);
    const qsizetype from = std::max<qsizetype>(0, view.rows().front() - 1);
    const std::vector<double> values = m_smoothed[curve].values(from, from + qsizetype(line.points.size()));
    for (std::size_t i = 0; i < values.size(); ++i)
        line.points[i].setY(values[i]);
    return line;
}

void CurveChart::drawLines()
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    const bool smoothed = isSmoothed();
    const auto curves = std::size_t(m_curves.size());
    std::vector<DrawnLine> lines(smoothed ? 2 * curves : curves); // the raw ones behind
    parallelFor(curves, [&](std::size_t i) {
        const QPen pen = penOf(m_curves.at(qsizetype(i)), scheme);
        if (!smoothed) {
            lines[i] = rawLine(i, pen);
            return;
        }
        if (m_curves.at(qsizetype(i)).aside) {
            lines[curves + i] = rawLine(i, pen);
            return;
        }
        lines[i] = rawLine(i, QPen(translucent(pen.color(), kFaintPercent), 1));
        lines[curves + i] = smoothedLine(i, pen);
    });
    m_layer->setFine(m_curves.size() <= kFineCurves);
    m_layer->setBands(bands());
    m_layer->setLines(std::move(lines));
}

std::vector<DrawnBand> CurveChart::bands() const
{
    const ColourScheme scheme = coloursOf(palette()).scheme;
    std::vector<DrawnBand> bands;
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        if (curve.lower.isEmpty())
            continue;
        const std::vector<qsizetype>& rows = m_views[std::size_t(i)].rows();
        bands.push_back({translucent(seriesStyle(scheme, curve.style).colour, kBandPercent),
                         pixelColumns(curve.lower, rows)});
        const auto upper = pixelColumns(curve.upper, rows);
        for (std::size_t column = 0; column < upper.size(); ++column)
            bands.back().columns[column].add(upper[column]);
    }
    return bands;
}

/// The vertical axis fits what is in view: points where they are few, the extremes of pixels where not.
void CurveChart::fitVertically()
{
    QList<double> values;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        const CurveView& view = m_views[i];
        if (isDense(i)) {
            for (const double sample : samplesOf(view.columns(), kSamples / m_views.size()))
                values.append(sample);
            continue;
        }
        for (qsizetype row = view.rows().front(); row < view.rows().back(); ++row)
            values.append(m_curves.at(qsizetype(i)).y[row]);
    }
    const bool logarithmic = plot().yAxis->scaleType() == QCPAxis::stLogarithmic;
    const AxisDemand demand{options().hideOutliers, logarithmic};
    const AxisRange fitted = axisRange(values, demand, startsInView());
    const bool stays = hasGrown() && demand == m_demand && isGoodFor(fitted, m_fitted);
    m_demand = demand;
    if (!stays)
        m_fitted = fitted;
    m_range = m_fitted;
    countOutside();
    if (m_fromZero && !logarithmic)
        extendToZero();
    plot().yAxis->setRange(m_range.lower, m_range.upper);
}

/// The first finite value of each curve whose start is in view: where training began is never an outlier.
QList<double> CurveChart::startsInView() const
{
    QList<double> starts;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        const std::vector<qsizetype>& rows = m_views[i].rows();
        if (rows.front() > 0)
            continue;
        const SeriesColumn& y = m_curves.at(qsizetype(i)).y;
        qsizetype row = 0;
        while (row < rows.back() && !std::isfinite(y[row]))
            ++row;
        if (row < rows.back())
            starts.append(y[row]);
    }
    return starts;
}

/// Exactly, in another thread where the curves are long; until then the badge keeps quiet.
void CurveChart::countOutside()
{
    struct Part {
        SeriesColumn y;
        qsizetype from;
        qsizetype to;
    };
    std::vector<Part> parts;
    qsizetype points = 0;
    for (std::size_t i = 0; i < m_views.size(); ++i) {
        const std::vector<qsizetype>& rows = m_views[i].rows();
        parts.push_back({m_curves.at(qsizetype(i)).y, rows.front(), rows.back()});
        points += m_views[i].count();
    }
    const auto count = [parts = std::move(parts), lower = m_range.lower,
                        upper = m_range.upper](const LatestJob<qsizetype>::GoesOn& goesOn) {
        std::uint64_t outside = 0;
        for (const Part& part : parts) {
            if (!goesOn(0))
                break;
            outside += part.y.countOutside(part.from, part.to, lower, upper);
        }
        return qsizetype(outside);
    };
    m_outside.cancel();
    m_range.outside = 0;
    if (points <= kQuickCount)
        m_range.outside = count([](double) { return true; });
    else
        m_outside.start([count](const LatestJob<qsizetype>::GoesOn& goesOn) {
            for (int wait = 0; wait < kStandsStill && goesOn(0);
                 ++wait) // most pictures of a zoom last a frame
                QThread::msleep(kWaitMs);
            return count(goesOn);
        });
}

void CurveChart::extendToZero()
{
    m_range.lower = std::min(0.0, m_range.lower);
    m_range.upper += kHeadroom * (m_range.upper - m_range.lower);
}

/// Triangles on the axis where a figure is not a number: hiding them would hide the failure.
void CurveChart::addNotFiniteMarks(const QColor& colour)
{
    QList<double> x;
    m_notFinite = 0;
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        const CurveView& view = m_views[std::size_t(i)];
        const ValueSummary all = curve.y.summary(0, curve.y.size());
        if (all.notFinite == 0)
            continue;
        const QList<qsizetype> forgiven = forgivenRows(curve);
        m_notFinite += qsizetype(all.notFinite) - forgiven.size();
        for (std::size_t column = 0; column < view.columns().size(); ++column) {
            const auto bad = qsizetype(view.columns()[column].notFinite);
            if (bad > 0 && bad > countWithin(forgiven, view.rows()[column], view.rows()[column + 1]))
                x.append(curve.x[view.rows()[column]]);
        }
    }
    addMarks(plot(), x, m_range.lower, QCPScatterStyle(QCPScatterStyle::ssTriangle, colour, colour, kMark));
}

/// Diamonds on the axis: a skipped step is no failure, but the run moved no weight in it.
void CurveChart::addSkippedMarks(const QColor& colour)
{
    QList<double> x;
    m_skipped = 0;
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const QList<double>& skipped = m_curves[i].skipped;
        m_skipped += skipped.size();
        const CurveView& view = m_views[std::size_t(i)];
        if (skipped.isEmpty() || view.count() == 0)
            continue;
        // One mark for each pixel at most.
        const double first = m_curves[i].x[view.rows().front()];
        const double last = m_curves[i].x[view.rows().back() - 1];
        const double pixel = (last - first) / double(view.columns().size());
        for (const double at : skipped) {
            if (at >= first && at <= last && (x.isEmpty() || at < x.last() || at - x.last() >= pixel))
                x.append(at);
        }
    }
    addMarks(plot(), x, m_range.lower, QCPScatterStyle(QCPScatterStyle::ssDiamond, colour, colour, kMark));
}

void CurveChart::describeHidden()
{
    QStringList parts;
    if (m_range.outside > 0)
        parts.append(m_range.outside == 1 ? tr("1 outlier hidden")
                                          : tr("%1 outliers hidden").arg(displayCount(m_range.outside)));
    if (m_notFinite > 0)
        parts.append(tr("▲ %1 NaN or infinite").arg(displayCount(m_notFinite)));
    if (m_skipped > 0)
        parts.append(tr("◆ %1 skipped").arg(displayCount(m_skipped)));
    setBadge(parts.join(QStringLiteral("  ·  ")));
}

double CurveChart::snapped(double x) const
{
    double best = x;
    double distance = std::numeric_limits<double>::infinity();
    for (const Curve& curve : m_curves) {
        const qsizetype at = curve.x.nearest(x);
        if (at >= 0 && std::fabs(curve.x[at] - x) < distance) {
            best = curve.x[at];
            distance = std::fabs(best - x);
        }
    }
    return best;
}

QString CurveChart::readOut(double x, bool isCursor) const
{
    return joinedParts(
        {isCursor ? positionText(options().axis, x) : QString(), valueAt(x, true), asidesAt(x)});
}

QString CurveChart::briefReadOut(double x, bool isCursor) const
{
    return joinedParts({isCursor ? positionText(options().axis, x) : QString(), valueAt(x, false)});
}

/// Of the first curve, where it is the only one but for those beside it: a legend has the room for many
/// values.
QString CurveChart::valueAt(double x, bool withAverage) const
{
    const bool isAlone = !m_curves.isEmpty() && std::all_of(m_curves.begin() + 1, m_curves.end(),
                                                            [](const Curve& curve) { return curve.aside; });
    const qsizetype at = isAlone ? m_curves.first().x.nearest(x) : -1;
    if (at < 0)
        return {};
    const double y = m_curves.first().y[at];
    const bool skipped = wasSkipped(m_curves.first(), m_curves.first().x[at]);
    const QString number = std::isfinite(y) ? figureText(y, quantity()) : tr("not a number");
    const QString value = skipped ? tr("%1, step skipped").arg(number) : number;
    if (!withAverage || m_curves.first().aside || m_smoothed.empty() || at >= m_smoothed.front().size())
        return value;
    return value + tr(" (smoothed %1)").arg(figureText(m_smoothed.front().at(at), quantity()));
}

QString CurveChart::asidesAt(double x) const
{
    QStringList values;
    for (qsizetype i = 1; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        const qsizetype at = curve.aside ? curve.x.nearest(x) : -1;
        if (at >= 0)
            values.append(curve.name + QLatin1Char(' ') + figureText(curve.y[at], quantity()));
    }
    return joinedParts(values);
}

QString CurveChart::valueText(qsizetype curve, double x) const
{
    const qsizetype at = m_curves[curve].x.nearest(x);
    return at < 0 ? QString() : figureText(m_curves[curve].y[at], quantity());
}

QList<ChartValue> CurveChart::valuesAt(double x) const
{
    QList<ChartValue> values;
    for (const Curve& curve : m_curves) {
        const qsizetype at = curve.x.nearest(x);
        if (at >= 0)
            values.append({curve.name, curve.y[at]});
    }
    return values;
}

void CurveChart::writeCsv(QTextStream& out) const
{
    const QCPRange span = shownSpan();
    out << "series," << titleOf(options().axis) << ",value" << (m_smoothed.empty() ? "\n" : ",smoothed\n");
    for (qsizetype i = 0; i < m_curves.size(); ++i) {
        const Curve& curve = m_curves[i];
        const qsizetype from = curve.x.lowerBound(span.lower);
        const qsizetype to = curve.x.upperBound(span.upper);
        const std::vector<double> average = m_smoothed.empty() || curve.aside
                                                ? std::vector<double>()
                                                : m_smoothed[std::size_t(i)].values(from, to);
        for (qsizetype row = from; row < to; ++row) {
            out << csvField(curve.name) << ',' << csvNumber(curve.x[row]) << ',' << csvNumber(curve.y[row]);
            if (!average.empty())
                out << ',' << csvNumber(average[std::size_t(row - from)]);
            else if (!m_smoothed.empty())
                out << ',';
            out << '\n';
        }
    }
}

double CurveChart::neighbour(double x, int direction) const
{
    const auto longest =
        std::max_element(m_curves.begin(), m_curves.end(),
                         [](const Curve& a, const Curve& b) { return a.x.size() < b.x.size(); });
    if (longest == m_curves.end() || longest->x.isEmpty())
        return x;
    return longest->x[std::clamp<qsizetype>(longest->x.nearest(x) + direction, 0, longest->x.size() - 1)];
}

} // namespace trainyard
