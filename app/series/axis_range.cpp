#include "app/series/axis_range.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace trainyard {

namespace {

constexpr double kRoom = 0.05; ///< of the range, left free above and below

/// Ranges are judged as they look, so a logarithmic axis is computed in logarithms.
struct Scale {
    bool logarithmic;
    double in(double value) const { return logarithmic ? std::log10(value) : value; }
    double out(double value) const { return logarithmic ? std::pow(10.0, value) : value; }
};

double percentile(std::vector<double>& values, double share)
{
    const auto at = values.begin() + std::ptrdiff_t(std::lround(share * double(values.size() - 1)));
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

} // namespace

AxisRange axisRange(const QList<double>& values, const AxisDemand& demand)
{
    const Scale scale{demand.positiveOnly};
    std::vector<double> shown;
    shown.reserve(std::size_t(values.size()));
    qsizetype impossible = 0;
    for (const double value : values) {
        if (!std::isfinite(value))
            continue;
        if (demand.positiveOnly && value <= 0)
            ++impossible;
        else
            shown.push_back(scale.in(value));
    }
    if (shown.empty())
        return {demand.positiveOnly ? 0.1 : 0.0, 1.0, impossible};

    const auto [least, most] = std::minmax_element(shown.begin(), shown.end());
    double lower = *least;
    double upper = *most;
    if (demand.hideOutliers) {
        std::vector<double> scratch = shown;
        const double p5 = percentile(scratch, 0.05);
        const double p95 = percentile(scratch, 0.95);
        const double half = (p95 - p5) / 2;
        if (half > 0) { // else nearly all are equal, and every other point would be an outlier
            lower = std::max(lower, p5 - half);
            upper = std::min(upper, p95 + half);
        }
    }
    const auto outside = std::count_if(shown.begin(), shown.end(),
                                       [&](double value) { return value < lower || value > upper; });
    const double leastWidth = std::max(std::fabs(upper), 1e-12) * 1e-6;
    const double room =
        upper - lower > leastWidth ? (upper - lower) * kRoom : std::max(std::fabs(upper) * kRoom, 1e-12);
    return {scale.out(lower - room), scale.out(upper + room), impossible + outside};
}

} // namespace trainyard
