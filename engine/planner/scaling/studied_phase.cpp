#include "engine/planner/scaling/studied_phase.h"

#include <fmt/format.h>

#include "engine/spec/phases/phases.h"

namespace trainyard {

RunSpec studiedPhase(const RunSpec& run, int phase)
{
    RunSpec spec = specOfPhase(run, phase);
    spec.batch.ramp = {};
    if (phase + 1 < phaseCount(run)) {
        spec.evaluation.target = 0;
        spec.evaluation.patience = 0;
    }
    return spec;
}

std::vector<std::string> studyNotes(const RunSpec& run, int phase)
{
    std::vector<std::string> notes;
    const RunSpec spec = specOfPhase(run, phase);
    if (phaseCount(run) > 1)
        notes.push_back(fmt::format("measures phase {} of {} only", phase + 1, phaseCount(run)));
    if (spec.batch.ramp.isOn())
        notes.push_back(fmt::format("measures the full global batch of {}, without batch.ramp from {}",
                                    spec.batch.global, spec.batch.ramp.start));
    return notes;
}

} // namespace trainyard
