#include "engine/planner/scaling/measured_size.h"

#include <cmath>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr double kMaxScaled = 64;
constexpr int kHalvings = 40; ///< of the range of factors

TimeCoefficients scaled(TimeCoefficients coefficients, double factor)
{
    for (const TimeFactor part :
         {TimeFactor::Products, TimeFactor::Traffic, TimeFactor::Launches, TimeFactor::MicroBatches})
        coefficients.factors[static_cast<std::size_t>(part)] *= factor;
    return coefficients;
}

} // namespace

Result<TimeCoefficients> scaledTo(const StepModel& model, double seconds, const TimeCoefficients& own)
{
    double low = 1 / kMaxScaled;
    double high = kMaxScaled;
    for (int i = 0; i < kHalvings; ++i) {
        const double middle = std::sqrt(low * high);
        (model.estimate(scaled(own, middle)).seconds < seconds ? low : high) = middle;
    }
    const TimeCoefficients found = scaled(own, high);
    const double nearest = model.estimate(found).seconds;
    if (std::abs(nearest / seconds - 1) > 0.01)
        return refused(fmt::format("the measured step takes {:.3g} s, but with the described links even "
                                   "devices {} times as fast or as slow reach only {:.3g} s",
                                   seconds, kMaxScaled, nearest),
                       "correct the measurement, or the hardware's links");
    return found;
}

} // namespace trainyard
