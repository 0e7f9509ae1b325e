#pragma once

#include <cstdint>
#include <optional>

#include "engine/spec/run_spec.h"

namespace trainyard {

class RunSeries;

/// What a run spent until a held-out evaluation reached a target, as MLPerf's time to train (Mattson et al.,
/// arXiv:1910.01500) has it: evaluations count, interruptions do not.
struct TimeToTarget {
    std::int64_t step = 0; ///< that was evaluated
    double value = 0;      ///< of the metric there
    double seconds = 0;    ///< of all steps and evaluations until then
    double tokens = 0;     ///< trained until then

    bool operator==(const TimeToTarget&) const = default;
};

/// What ends the run early, and says which evaluation is best: evaluation of its last phase.
EvaluationSpec targetOf(const RunSpec& run);
/// True when times to their targets can be compared.
bool haveSameTarget(const EvaluationSpec& a, const EvaluationSpec& b);

/// Returns the first evaluation after step `from` that reaches evaluation.target by evaluation.metric;
/// nullopt without a target or while none does.
std::optional<TimeToTarget> timeToTarget(const EvaluationSpec& evaluation, const RunSeries& series,
                                         std::int64_t from = 0);
/// In the last phase of the run, whose data the target is meant for; time and tokens are those of all phases.
std::optional<TimeToTarget> timeToTarget(const RunSpec& run, const RunSeries& series);
/// The step after which evaluations are those of the run's last phase.
std::int64_t stepsBeforeTarget(const RunSpec& run);

} // namespace trainyard
