#pragma once

#include "engine/base/ids.h"
#include "engine/comm/process_groups.h"
#include "engine/parallel/pipeline/pass_times.h"

namespace trainyard {

class StepJournal;

/// Times the passes of a step now and then, and writes them as a PipelineTrace on rank 0: those of the model
/// replica that rank 0 is in, of which each pipeline rank's first tensor and context rank speaks. All ranks
/// make the same calls; those of other replicas do nothing.
class StepTracer {
public:
    /// `journal` on rank 0 only, null elsewhere; groups and journal outlive this object.
    StepTracer(const ProcessGroups& groups, c10::Device place, int chunks, int microBatches,
               StepJournal* journal);

    /// Soon, so that a new run can be looked at, then every hundredth; never the first, which touches its
    /// memory for the first time.
    static bool isTraced(Step step);
    /// For TrainingStep::run(); null when this rank has nothing to note in that step.
    PassTimes* timesOf(Step step);
    /// After each step.
    void record(Step step);

private:
    const ProcessGroups& m_groups;
    const bool m_speaks; ///< in rank 0's replica
    const int m_chunks;
    const int m_microBatches;
    StepJournal* m_journal;
    PassTimes m_times;
};

} // namespace trainyard
