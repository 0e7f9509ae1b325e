#pragma once

#include "engine/planner/pipeline/simulator.h"

namespace trainyard {

/// Ranks with a clock each, which go through their lists as far as messages let them. For one simulate().
class ScheduleMachine {
public:
    ScheduleMachine(const PipelineSchedule& schedule, const PipelineCosts& costs, TransferMode mode);
    Result<PipelineTimeline> run();

private:
    /// Each does the next action of a rank, and returns false when it has to wait.
    bool advance(int rank);
    bool send(int rank, const PipelineAction& action);
    bool meet(int rank, const PipelineAction& send);
    bool receive(int rank, const PipelineAction& action);
    bool pass(int rank, const PipelineAction& action);
    bool step(int rank, const PipelineAction& action);

    const PipelineAction* next(int rank) const; ///< null at the end of the list
    double clock(int rank) const;
    void finish(int rank, double start, double end);
    double durationOf(int rank, const PipelineAction& action) const;
    /// When the message of this receive arrives; below 0 = not sent yet.
    double& arrival(int rank, const PipelineAction& receive);
    Error deadlock() const;

    const PipelineSchedule& m_schedule;
    const PipelineCosts& m_costs;
    const TransferMode m_mode;
    PipelineTimeline m_timeline;
    std::vector<double> m_arrivals;
};

} // namespace trainyard
