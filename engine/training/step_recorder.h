#pragma once

#include "engine/base/ids.h"
#include "engine/comm/process_group.h"
#include "engine/training/rank_stats.h"
#include "engine/training/training_step.h"

namespace trainyard {

class StepJournal;

/// Collects every rank's statistics of a step and writes the StepRecord on rank 0, with those ranks that
/// ranksForJournal() takes.
class StepRecorder {
public:
    /// Create it just before the first step. `journal`: on rank 0, null elsewhere or to write nothing. All
    /// arguments must outlive this object.
    StepRecorder(ProcessGroup& group, const RankMemory& memory, StepJournal* journal);

    /// All ranks call it after each step.
    void record(Step step, const StepOutcome& outcome, std::uint64_t consumedSamples,
                const SecondsByPhase& seconds);

private:
    ProcessGroup& m_group;
    RankMemory m_memory;
    StepJournal* m_journal;
    bool m_isFirst = true; ///< no step has been recorded
};

} // namespace trainyard
