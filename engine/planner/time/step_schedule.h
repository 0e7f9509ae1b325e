#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/simulator.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// How closely a schedule is followed.
enum class ScheduleDetail {
    Simulated, ///< action by action; where that would take too long by the formula, off by up to 1 %
    Formula,   ///< by the times of planner/README.md, which equal stages have exactly: for searching
};

/// How long a step's schedule takes. Of many equal micro-batches only as many are simulated as it takes until
/// each further one costs the same (a full pipeline repeats itself), so that the time does not grow with the
/// accumulation.
class StepSchedule {
public:
    /// Refused as makeSchedule() says.
    static Result<StepSchedule> create(const RunSpec& spec,
                                       ScheduleDetail detail = ScheduleDetail::Simulated);

    const PipelineShape& shape() const { return m_shape; } ///< of the whole step
    /// Seconds, with costs in seconds.
    double duration(const PipelineCosts& costs) const;

private:
    StepSchedule(const PipelineShape& shape, PipelineScheduleKind kind) : m_shape(shape), m_kind(kind) {}

    double formula(const PipelineCosts& costs) const;

    PipelineShape m_shape;
    PipelineScheduleKind m_kind;
    PipelineSchedule m_simulated; ///< no ranks: go by the formula
    PipelineSchedule m_shorter;   ///< by one period
    int m_periods = 0;            ///< that m_simulated leaves out
};

} // namespace trainyard
