#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/simulator.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// How long a step's schedule takes. The lists are simulated action by action; of many equal micro-batches
/// only as many as it takes until each further one costs the same (a full pipeline repeats itself), so that
/// the time does not grow with the accumulation.
class StepSchedule {
public:
    /// Refused as makeSchedule() says.
    static Result<StepSchedule> create(const RunSpec& spec);

    const PipelineShape& shape() const { return m_shape; } ///< of the whole step
    /// Seconds, with costs in seconds.
    double duration(const PipelineCosts& costs) const;

private:
    StepSchedule(const PipelineShape& shape, PipelineSchedule simulated, PipelineSchedule shorter,
                 int periods)
        : m_shape(shape), m_simulated(std::move(simulated)), m_shorter(std::move(shorter)), m_periods(periods)
    {
    }

    PipelineShape m_shape;
    PipelineSchedule m_simulated;
    PipelineSchedule m_shorter; ///< by one period
    int m_periods;              ///< that m_simulated leaves out
};

} // namespace trainyard
