#include "engine/probes/probe_clock.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>
#include <vector>

#include <c10/core/impl/VirtualGuardImpl.h>

#include "engine/comm/process_group.h"
#include "engine/memory/tensor_storage.h"

namespace trainyard {

namespace {

constexpr double kSecondsOfAll = 0.3;
constexpr double kSecondsBetweenLooks = 2e-3;
constexpr double kSecondsOfLongWork = 1;
constexpr int kMinRepetitions = 3;
constexpr int kMaxRepetitions = 40;
constexpr double kMaxAtOnce = 2000;

int repetitionsOf(double seconds)
{
    if (seconds > kSecondsOfLongWork)
        return 1;
    return std::clamp(static_cast<int>(kSecondsOfAll / std::max(seconds, kSecondsBetweenLooks)),
                      kMinRepetitions, kMaxRepetitions);
}

double quantile(const std::vector<double>& sorted, double share)
{
    const double at = share * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, sorted.size() - 1);
    return std::lerp(sorted[low], sorted[high], at - static_cast<double>(low));
}

ProbeTimes timesOf(std::vector<double> seconds)
{
    std::ranges::sort(seconds);
    const double median = quantile(seconds, 0.5);
    return {median, (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / (2 * median)};
}

} // namespace

void ProbeClock::synchronize() const
{
    if (!isHostMemory(m_device.place))
        c10::impl::VirtualGuardImpl(m_device.place.type()).synchronizeDevice(m_device.place.index());
}

double ProbeClock::timed(const std::function<void()>& work, int times)
{
    m_world.barrier();
    if (!work)
        return 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < times; ++i)
        work();
    synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / times;
}

/// So that all ranks repeat equally often.
double ProbeClock::longestOf(double seconds)
{
    m_world.allReduce(std::span(&seconds, 1), ReduceOp::Max);
    return seconds;
}

ProbeTimes ProbeClock::measure(const std::function<void()>& work)
{
    const double first = longestOf(timed(work, 1));
    const double usual = first > kSecondsOfLongWork ? first : longestOf(timed(work, 1));
    const int atOnce = static_cast<int>(std::clamp(kSecondsBetweenLooks / usual, 1.0, kMaxAtOnce));
    std::vector<double> seconds;
    for (int repetition = repetitionsOf(usual); repetition > 0; --repetition)
        seconds.push_back(timed(work, atOnce));
    return work ? timesOf(std::move(seconds)) : ProbeTimes();
}

} // namespace trainyard
