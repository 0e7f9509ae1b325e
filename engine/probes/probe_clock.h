#pragma once

#include <functional>

#include "engine/nn/device.h"

namespace trainyard {

class ProcessGroup;

/// Time of one repetition of a probe on a rank.
struct ProbeTimes {
    double median = 0; ///< seconds; 0 = this rank had nothing to do
    double spread = 0; ///< half the distance of the quartiles, as a share of the median
};

/// Repeats work on all ranks of a group at the same time. The first time, which brings memory in and warms
/// caches up, says how often it is repeated: some tenths of a second in all, at least three times but for
/// what takes seconds. What is short is repeated so often between two looks at the clock that these do not
/// count.
class ProbeClock {
public:
    /// `world` and the device's stream are waited for around every repetition; `world` outlives the clock.
    ProbeClock(ProcessGroup& world, const Device& device) : m_world(world), m_device(device) {}

    /// All ranks call it together. `work` null: the rank only waits for the others.
    ProbeTimes measure(const std::function<void()>& work);

private:
    double timed(const std::function<void()>& work, int times);
    double longestOf(double seconds);
    void synchronize() const;

    ProcessGroup& m_world;
    Device m_device;
};

} // namespace trainyard
