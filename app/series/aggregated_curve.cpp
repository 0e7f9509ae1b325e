#include "app/series/aggregated_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

namespace trainyard {

namespace {

/// Follows one run from left to right.
class CurveReader {
public:
    explicit CurveReader(const RunCurve& curve) : m_curve(curve) {}

    /// The x of the next point; nothing behind the last one.
    std::optional<double> next() const
    {
        return m_row < m_curve.x.size() ? std::optional(m_curve.x[m_row]) : std::nullopt;
    }
    /// The value at x, which must not be right of the next point; goes on when it is that point.
    std::optional<double> take(double x)
    {
        if (m_row == m_curve.x.size())
            return std::nullopt;
        const double after = m_curve.x[m_row];
        const double value = m_curve.y[m_row];
        if (x >= after) {
            ++m_row;
            return finite(value);
        }
        if (m_row == 0)
            return std::nullopt;
        const double before = m_curve.x[m_row - 1];
        const double share = (x - before) / (after - before);
        return finite(std::lerp(m_curve.y[m_row - 1], value, share));
    }

private:
    static std::optional<double> finite(double value)
    {
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    }

    const RunCurve& m_curve;
    qsizetype m_row = 0;
};

double meanOf(const std::vector<double>& values)
{
    return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

double medianOf(std::vector<double>& values)
{
    const auto half = values.begin() + std::ptrdiff_t(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    if (values.size() % 2 == 1)
        return *half;
    return std::midpoint(*std::max_element(values.begin(), half), *half);
}

double standardDeviation(const std::vector<double>& values)
{
    if (values.size() < 2)
        return 0;
    const double mean = meanOf(values);
    double squares = 0;
    for (const double value : values)
        squares += (value - mean) * (value - mean);
    return std::sqrt(squares / double(values.size() - 1));
}

/// What is added below and above.
double reach(const std::vector<double>& values, Spread spread)
{
    const double deviation = standardDeviation(values);
    const double error = deviation / std::sqrt(double(values.size()));
    if (spread == Spread::StandardDeviation)
        return deviation;
    if (spread == Spread::StandardError)
        return error;
    return spread == Spread::Confidence95 && values.size() > 1
               ? studentQuantile975(int(values.size()) - 1) * error
               : 0;
}

void append(AggregatedCurve& curve, double x, std::vector<double>& values, Middle middle, Spread spread)
{
    curve.x.append(x);
    if (values.empty()) {
        for (SeriesColumn* column : {&curve.middle, &curve.lower, &curve.upper})
            column->append(std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const double centre = middle == Middle::Mean ? meanOf(values) : medianOf(values);
    curve.middle.append(centre);
    if (spread == Spread::MinMax) {
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        curve.lower.append(*least);
        curve.upper.append(*most);
        return;
    }
    const double side = reach(values, spread);
    curve.lower.append(centre - side);
    curve.upper.append(centre + side);
}

/// The leftmost x that a run has yet to tell; nothing when all are through.
std::optional<double> nextX(const std::vector<CurveReader>& readers)
{
    std::optional<double> least;
    for (const CurveReader& reader : readers) {
        const auto x = reader.next();
        least = !least || (x && *x < *least) ? x : least;
    }
    return least;
}

void noteEnds(AggregatedCurve& curve, const QList<RunCurve>& runs)
{
    curve.runs = int(runs.size());
    double last = -std::numeric_limits<double>::infinity();
    curve.allUntil = std::numeric_limits<double>::infinity();
    for (const RunCurve& run : runs) {
        const double end = run.x.isEmpty() ? -std::numeric_limits<double>::infinity() : run.x.last();
        curve.allUntil = std::min(curve.allUntil, end);
        last = std::max(last, end);
    }
    curve.fewest = int(std::count_if(runs.begin(), runs.end(), [last](const RunCurve& run) {
        return !run.x.isEmpty() && run.x.last() == last;
    }));
}

} // namespace

AggregatedCurve aggregate(const QList<RunCurve>& runs, Middle middle, Spread spread)
{
    AggregatedCurve curve;
    noteEnds(curve, runs);
    std::vector<CurveReader> readers(runs.begin(), runs.end());
    std::vector<double> values;
    while (const auto x = nextX(readers)) {
        values.clear();
        for (CurveReader& reader : readers) {
            if (const auto value = reader.take(*x))
                values.push_back(*value);
        }
        append(curve, *x, values, middle, spread);
    }
    return curve;
}

double studentQuantile975(int degreesOfFreedom)
{
    // Abramowitz and Stegun, Handbook of Mathematical Functions, table 26.10.
    constexpr std::array kSmall{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
                                2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
                                2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
    if (degreesOfFreedom < 1)
        return std::numeric_limits<double>::infinity();
    if (std::size_t(degreesOfFreedom) <= kSmall.size())
        return kSmall[std::size_t(degreesOfFreedom) - 1];
    // The same book, 26.7.5, with the normal distribution's 1.95996.
    constexpr double z = 1.959964;
    const double n = degreesOfFreedom;
    return z + (z * z * z + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

} // namespace trainyard
