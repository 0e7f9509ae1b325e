#pragma once

#include "engine/base/ids.h"
#include "engine/comm/process_groups.h"
#include "engine/parallel/pipeline/pass_times.h"

namespace trainyard {

class StepJournal;

/// Times the passes of every step for the flight ring. Occasionally writes those of a step as a PipelineTrace
/// on rank 0: of rank 0's model replica, from each pipeline rank's first tensor and context rank. All ranks
/// make the same calls.
class StepTracer {
public:
    /// `journal` on rank 0 only, null elsewhere; `recorder` may be null. Groups, journal and recorder outlive
    /// this object.
    StepTracer(const ProcessGroups& groups, c10::Device place, int chunks, int microBatches,
               StepJournal* journal, FlightRecorder* recorder);

    /// An early step, so that a new run has one soon, then every hundredth; never the first, which touches
    /// its memory for the first time.
    static bool isTraced(Step step);
    /// For TrainingStep::run().
    PassTimes* timesOf(Step step);
    /// After each step.
    void record(Step step);

private:
    bool speaksOf(Step step) const { return m_speaks && isTraced(step); }

    const ProcessGroups& m_groups;
    const bool m_speaks; ///< in rank 0's replica
    const int m_chunks;
    const int m_microBatches;
    StepJournal* m_journal;
    PassTimes m_times;
};

} // namespace trainyard
