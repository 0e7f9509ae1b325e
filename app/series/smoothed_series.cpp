#include "app/series/smoothed_series.h"

#include <algorithm>
#include <cmath>

#include "app/series/pixel_columns.h"

namespace trainyard {

namespace {

constexpr double kViewWidth = 1000;
constexpr double kMaxWeight = 0.999;

QList<double> average(const QList<double>& x, const QList<double>& y, const Smoothing& smoothing)
{
    RunningAverage running(smoothing, x.isEmpty() ? 0 : x.last() - x.first());
    QList<double> out;
    out.reserve(y.size());
    for (qsizetype i = 0; i < y.size(); ++i)
        out.append(running.add(x.isEmpty() ? 0 : x[i], y[i]));
    return out;
}

} // namespace

RunningAverage::RunningAverage(const Smoothing& smoothing, double range)
    : m_kind(smoothing.kind)
    , m_weight(m_kind == SmoothingKind::Exponential
                   ? std::clamp(smoothing.weight, 0.0, kMaxWeight)
                   : std::min(std::sqrt(std::clamp(smoothing.weight, 0.0, 1.0)), kMaxWeight))
    , m_exponent(range > 0 ? kViewWidth / range : 0)
{
}

double RunningAverage::add(double x, double y)
{
    if (!std::isfinite(y))
        return y;
    return m_kind == SmoothingKind::Exponential ? addExponential(y) : addTimeWeighted(x, y);
}

double RunningAverage::addTimeWeighted(double x, double y)
{
    if (m_norm > 0 && x - m_lastX != m_distance) {
        m_distance = x - m_lastX;
        m_decay = std::pow(m_weight, m_distance * m_exponent);
    }
    m_last = m_last * m_decay + y;
    m_norm = m_norm * m_decay + 1;
    m_lastX = x;
    return m_last / m_norm;
}

double RunningAverage::addExponential(double y)
{
    if (m_norm == 0)
        m_first = y;
    m_constant = m_constant && y == m_first;
    m_last = m_last * m_weight + (1 - m_weight) * y;
    m_norm = m_norm * m_weight + (1 - m_weight);
    return m_constant ? y : m_last / m_norm;
}

QList<double> timeWeightedAverage(const QList<double>& x, const QList<double>& y, double weight)
{
    return average(x, y, {SmoothingKind::TimeWeighted, weight});
}

QList<double> exponentialAverage(const QList<double>& y, double weight)
{
    return average({}, y, {SmoothingKind::Exponential, weight});
}

namespace {

constexpr qsizetype kFineRows = kLevelRows[0];
constexpr qsizetype kCoarseRows = kLevelRows[1];
constexpr qsizetype kShortRows = 1 << 16; ///< 512 KiB of averages
constexpr qsizetype kLongRows = 1 << 21;  ///< 16 MiB of values
constexpr double kLonger = 1.25;          ///< times the range that an average was begun for

double rangeOf(const SeriesColumn& x)
{
    return x.isEmpty() ? 0 : x.last() - x.first();
}

} // namespace

void SmoothedSeries::follow(const SeriesColumn& x, const SeriesColumn& y, const Smoothing& smoothing)
{
    if (!goesOn(x, y, smoothing))
        start(x, smoothing);
    m_x = x;
    m_y = y;
    if (size() > kShortRows)
        m_all = {};
    while (m_rows < y.size()) {
        const qsizetype chunk = m_rows / kChunkRows;
        const ChunkView xs = x.chunk(chunk);
        const ChunkView ys = y.chunk(chunk);
        for (qsizetype row = m_rows % kChunkRows; row < ys.rows; ++row, ++m_rows)
            append(xs.values[row], ys.values[row]);
        if (y.size() >= kLongRows) { // of what is in a file it is enough to have the average
            x.releasePages(chunk);
            y.releasePages(chunk);
        }
    }
}

bool SmoothedSeries::goesOn(const SeriesColumn& x, const SeriesColumn& y, const Smoothing& smoothing) const
{
    return m_range >= 0 && smoothing == m_smoothing && rangeOf(x) <= kLonger * m_range && x.startsWith(m_x) &&
           y.startsWith(m_y);
}

void SmoothedSeries::start(const SeriesColumn& x, const Smoothing& smoothing)
{
    m_smoothing = smoothing;
    m_range = rangeOf(x);
    m_running = RunningAverage(smoothing, m_range);
    m_rows = 0;
    m_states.clear();
    m_all = {};
    m_fine.clear();
    m_coarse.clear();
    m_allFinite = true;
    ++m_starts;
}

void SmoothedSeries::append(double x, double y)
{
    if (m_rows % kCoarseRows == 0)
        m_states.push_back(m_running);
    const double value = m_running.add(x, y);
    if (size() <= kShortRows)
        m_all.append(value);
    m_fine.append(value);
    m_coarse.append(value);
    m_allFinite = m_allFinite && std::isfinite(value);
}

RunningAverage SmoothedSeries::before(qsizetype row) const
{
    RunningAverage running = m_states[std::size_t(row / kCoarseRows)];
    for (qsizetype i = row / kCoarseRows * kCoarseRows; i < row; ++i)
        running.add(m_x[i], m_y[i]);
    return running;
}

double SmoothedSeries::at(qsizetype row) const
{
    return values(row, row + 1).front();
}

std::vector<double> SmoothedSeries::values(qsizetype from, qsizetype to) const
{
    std::vector<double> list;
    if (from >= to)
        return list;
    list.reserve(std::size_t(to - from));
    RunningAverage running = before(from);
    for (qsizetype row = from; row < to; ++row)
        list.push_back(running.add(m_x[row], m_y[row]));
    return list;
}

std::vector<ValueSummary> SmoothedSeries::columns(const std::vector<qsizetype>& rows) const
{
    if (size() <= kShortRows)
        return pixelColumns(m_all, rows);
    const auto pixels = qsizetype(rows.size()) - 1;
    if (rows.back() - rows.front() < kFineRows * pixels)
        return exactColumns(rows);
    std::vector<ValueSummary> columns;
    columns.reserve(std::size_t(pixels));
    for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
        ValueSummary& column = columns.emplace_back(stretches(rows[i], rows[i + 1]));
        if (column.count() == 0 && rows[i] < rows[i + 1]) // a narrow one among the wide
            column = exactColumns({rows[i], rows[i + 1]}).front();
    }
    return columns;
}

std::vector<ValueSummary> SmoothedSeries::exactColumns(const std::vector<qsizetype>& rows) const
{
    std::vector<ValueSummary> columns(rows.size() - 1);
    if (rows.front() >= rows.back())
        return columns;
    RunningAverage running = before(rows.front());
    for (std::size_t i = 0; i < columns.size(); ++i) {
        for (qsizetype row = rows[i]; row < rows[i + 1]; ++row)
            columns[i].add(running.add(m_x[row], m_y[row]));
    }
    return columns;
}

/// Of rows [from, to), each rounded down to a multiple of 16.
ValueSummary SmoothedSeries::stretches(qsizetype from, qsizetype to) const
{
    constexpr qsizetype kPerCoarse = kCoarseRows / kFineRows;
    const qsizetype first = from / kFineRows;
    const qsizetype end = to >= size() ? m_fine.entries() : to / kFineRows;
    ValueSummary sum;
    const auto add = [&](const GrowingLevel& level, qsizetype rows, qsizetype begin, qsizetype stop) {
        const qsizetype covered = std::min(stop * rows, m_rows) - begin * rows;
        addEntries(sum, level.view(), begin, stop, covered, m_allFinite);
    };
    const qsizetype coarseFrom = (first + kPerCoarse - 1) / kPerCoarse;
    const qsizetype coarseTo = end / kPerCoarse;
    if (coarseFrom >= coarseTo) {
        add(m_fine, kFineRows, first, end);
        return sum;
    }
    add(m_fine, kFineRows, first, coarseFrom * kPerCoarse);
    add(m_coarse, kCoarseRows, coarseFrom, coarseTo);
    add(m_fine, kFineRows, coarseTo * kPerCoarse, end);
    return sum;
}

} // namespace trainyard
