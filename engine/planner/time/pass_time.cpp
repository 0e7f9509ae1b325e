#include "engine/planner/time/pass_time.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace trainyard {

namespace {

constexpr double kJoint = 6; ///< exponent of the joint bound of host and device
constexpr double kOverlapSlowdown = 0.126;

/// Of the standard normal distribution, by bisection.
double normalQuantile(double share)
{
    double low = -9;
    double high = 9;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        const double below = 0.5 * std::erfc(-middle / std::numbers::sqrt2);
        (below < share ? low : high) = middle;
    }
    return (low + high) / 2;
}

double jointBound(double a, double b)
{
    const double larger = std::max(a, b);
    if (larger <= 0)
        return 0;
    return larger * std::pow(std::pow(a / larger, kJoint) + std::pow(b / larger, kJoint), 1 / kJoint);
}

double productSeconds(const PassDemand& demand, const TimeCoefficients& c)
{
    double seconds = 0;
    for (const ProductTime& product : demand.products)
        seconds +=
            std::max(product.arithmetic * c[TimeFactor::Products], product.memory * c[TimeFactor::Traffic]);
    return seconds;
}

} // namespace

double slowestOf(int devices)
{
    return devices <= 1 ? 1 : 1 + kDeviceSpread * normalQuantile((devices - 0.375) / (devices + 0.25));
}

TimeByCause passTime(const PassDemand& demand, const TimeCoefficients& c, double slowest)
{
    TimeByCause time{};
    at(time, StepCause::Products) = productSeconds(demand, c);
    at(time, StepCause::Traffic) = demand.traffic * c[TimeFactor::Traffic];
    at(time, StepCause::Launches) = demand.kernels * c[TimeFactor::Launches];
    for (double& seconds : time)
        seconds *= std::min(1.0, slowest);
    at(time, StepCause::Stragglers) = (std::max(1.0, slowest) - 1) * sum(time);
    at(time, StepCause::Tensor) = demand.tensor * c[TimeFactor::Tensor];
    at(time, StepCause::Experts) = demand.experts * c[TimeFactor::Tensor];
    const double device = sum(time);
    const double launches = demand.launches * c[TimeFactor::Launches];
    const double computing = demand.onHost ? device + launches : jointBound(device, launches);
    at(time, StepCause::Launches) += computing - device;
    return time;
}

double exposedTime(double beside, double computing)
{
    return std::max(0.0, beside - computing) + kOverlapSlowdown * std::min(beside, computing);
}

TimeByCause besideTime(double computing, const BesideDemand& demand, const TimeCoefficients& c)
{
    const auto felt = [&](double seconds, bool waits) {
        return waits || demand.onHost ? seconds : exposedTime(seconds, computing);
    };
    TimeByCause time{};
    at(time, StepCause::Context) = felt(demand.ring * c[TimeFactor::Tensor], false);
    at(time, StepCause::Gathers) = felt(demand.gathers * c[TimeFactor::Reductions], demand.gathersWait);
    at(time, StepCause::Offload) = felt(demand.copies * c[TimeFactor::Transfers], false);
    return time;
}

} // namespace trainyard
