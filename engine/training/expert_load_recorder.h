#pragma once

#include "engine/base/ids.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

class Replica;
class StepJournal;
struct ProcessGroups;

/// Adds up over the ranks how many tokens each expert got, and writes it on rank 0 as ExpertLoad. All ranks
/// make the same calls; of a model without experts they do nothing.
class ExpertLoadRecorder {
public:
    /// `journal`: on rank 0, null elsewhere or to write nothing. All arguments outlive this object.
    ExpertLoadRecorder(const ModelSpec& model, const ProcessGroups& groups, Replica& replica,
                       StepJournal* journal);

    /// Whether the loads of this step are written: the first one and every tenth.
    static bool isWritten(Step step);
    /// All ranks call it after each step.
    void record(Step step);

private:
    const ModelSpec& m_model;
    const ProcessGroups& m_groups;
    Replica& m_replica;
    StepJournal* m_journal;
};

} // namespace trainyard
