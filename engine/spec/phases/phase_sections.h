#pragma once

#include <functional>
#include <string>

#include "engine/spec/run_fields.h"

namespace trainyard {

/// Calls `visit(key, section of the phase, section of the run)` for every section that a phase overrides
/// fields of. Both may be const.
template <typename Phase, typename Run, typename Visit>
void eachPhaseSection(Phase& phase, Run& run, const Visit& visit)
{
    visit("dataset", phase.dataset, run.dataset);
    visit("batch", phase.batch, run.batch);
    visit("optimizer", phase.optimizer, run.optimizer);
    visit("memory", phase.memory, run.memory);
    visit("evaluation", phase.evaluation, run.evaluation);
}

/// A describe() visitor that calls `visit("batch.global", access)` for every field of a section.
template <typename Visit>
struct SectionFields {
    std::string section;
    const Visit& visit;

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo&)
    {
        visit(section + "." + key, access);
    }
};

/// Calls `visit(path, access)` for every field of the section at `key`.
template <typename Section, typename Visit>
void eachFieldOf(const char* key, const Visit& visit)
{
    SectionFields<Visit> fields{key, visit};
    describe(fields, Of<Section>());
}

} // namespace trainyard
