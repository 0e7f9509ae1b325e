#pragma once

#include <cstdint>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Learning rate as a pure function of the optimizer step s = 1..T with W warm-up steps:
///     s <= W:  peak * s / W
///     s >  W:  peak * decay((s - 1 - W) / (T - W))
/// so that the first step after the warm-up has the peak rate and no step has rate 0. decay(t) is 1
/// (constant), 1 - t (linear), (1 - t)^power (polynomial), (1 + cos(pi t)) / 2 (cosine).
class LearningRateSchedule {
public:
    LearningRateSchedule(const OptimizerSpec& spec, std::int64_t totalSteps);
    double at(std::int64_t step) const; ///< step >= 1; beyond the last step the rate stays the last one

private:
    double decayAt(double progress) const;

    OptimizerSpec m_spec;
    std::int64_t m_totalSteps;
};

} // namespace trainyard
