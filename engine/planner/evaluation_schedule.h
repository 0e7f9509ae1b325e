#pragma once

#include <cstdint>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// After which steps a run evaluates on held-out rows, and on how many. A function of the specification and
/// the data set, the same in every layout, whose batches are as large as those of its steps.
struct EvaluationSchedule {
    std::int64_t everySteps = 1;
    std::int64_t steps = 0;   ///< of the run; the last one is evaluated too
    std::int64_t batches = 0; ///< global batches per evaluation; 0: never evaluates
    std::uint64_t rows = 0;   ///< per evaluation; the last batch may have fewer than the others

    bool isOn() const { return batches > 0; }
    bool isDue(std::int64_t step) const;
    std::int64_t evaluations() const; ///< in the whole run
    /// Estimate of the run's time that evaluation takes, e.g. 0.02.
    double costShare() const;

    bool operator==(const EvaluationSchedule&) const = default;
};

/// `testRows`: of the data set that is evaluated. An interval of 0 becomes the shortest one that costs at
/// most 2 % of the run's time. A run too short to evaluate, at that price, twice as often as an evaluation
/// has batches, has fewer batches in each; in any case it evaluates once, on one batch. Off for a
/// specification without steps or batch.
EvaluationSchedule evaluationSchedule(const RunSpec& spec, std::uint64_t testRows);

} // namespace trainyard
