#pragma once

#include <cstdint>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Learning rate as a pure function of the optimizer step s = 1..T with W warm-up steps:
///     s <= W:  peak * s / W
///     s >  W:  peak * decay((s - 1 - W) / (T - W))
/// so that the first step after the warm-up has the peak rate and no step has rate 0. decay(t) is 1
/// (constant), 1 - t (linear), (1 - t)^power (polynomial), (1 + cos(pi t)) / 2 (cosine).
///
/// Warm-up, stable, decay (wsd; Hu et al., arXiv:2404.06395, section 4.2) has the peak rate until only its D
/// decay steps are left (OptimizerSpec::decayStepsOf()), and then
///     s > T - D:  peak * shape((s - 1 - (T - D)) / D)
/// shape(t) is 1 - t (linear), (1 + cos(pi t)) / 2 (cosine), 2 * 0.5^t - 1 (exponential; half-lives as in
/// their f, scaled as Megatron-LM does to end at 0), 1 - sqrt(t) (1-sqrt; Haegele et al., arXiv:2405.18392,
/// section 3.2). Each is 1 in the first step of the decay.
class LearningRateSchedule {
public:
    LearningRateSchedule(const OptimizerSpec& spec, std::int64_t totalSteps);
    double at(std::int64_t step) const; ///< step >= 1; beyond the last step the rate stays the last one

private:
    double factorAt(std::int64_t step, std::int64_t last) const;
    double decayAt(double progress) const;

    OptimizerSpec m_spec;
    std::int64_t m_totalSteps;
};

} // namespace trainyard
