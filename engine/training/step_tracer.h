#pragma once

#include "engine/base/ids.h"
#include "engine/comm/process_groups.h"
#include "engine/parallel/pipeline/pass_times.h"

namespace trainyard {

class StepJournal;

/// Times the passes of every step for the flight ring. For some steps, rank 0 also writes those of its own
/// model replica as a PipelineTrace, one row per pipeline rank: that of its first tensor and context rank.
/// All ranks make the same calls.
class StepTracer {
public:
    /// `timer`: of the device, null on the processor; `journal`: on rank 0, null elsewhere; `recorder` may be
    /// null. All of them and the groups must outlive this object.
    StepTracer(const ProcessGroups& groups, DeviceTimer* timer, int chunks, StepJournal* journal,
               FlightRecorder* recorder);

    /// Returns whether the step's passes are written: an early step, so that a new run has one soon, then
    /// every hundredth; never the first, which is slow because it touches its memory for the first time.
    static bool isTraced(Step step);
    /// Returns the pass times to hand to TrainingStep::run().
    PassTimes* timesOf(Step step);
    /// All ranks call it after each step. `microBatches`: of the step, of each rank.
    void record(Step step, int microBatches);

private:
    bool isWritten(Step step) const { return m_isFirstReplica && isTraced(step); }

    const ProcessGroups& m_groups;
    const bool m_isFirstReplica; ///< in rank 0's replica
    const int m_chunks;
    StepJournal* m_journal;
    PassTimes m_times;
};

} // namespace trainyard
