#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a run knows of its evaluations, kept from one to the next and in checkpoints.
struct EvaluationState {
    std::int64_t step = 0;      ///< of the last one; 0: none yet
    std::int64_t bestStep = 0;  ///< of the best one; 0: none yet
    double best = 0;            ///< its figure, by evaluation.metric
    std::int64_t sinceBest = 0; ///< evaluations after it

    /// Takes the next evaluation into account. Whether it is the best so far; one that is not finite never
    /// is.
    bool add(const EvaluationRecord& record, EvaluationMetric metric);

    bool operator==(const EvaluationState&) const = default;
};

/// Why the run may end before its last step: target reached, or out of patience. A sentence for people.
std::optional<std::string> reasonToEnd(const EvaluationSpec& spec, const EvaluationState& state);

/// "target 2 not reached: best 2.31 at step 300", for people; nullopt without a target, and once it is
/// reached.
std::optional<std::string> missedTarget(const EvaluationSpec& spec, const EvaluationState& state);

} // namespace trainyard
