#pragma once

#include "engine/spec/evaluation_fields.h"
#include "engine/spec/field_info.h"
#include "engine/spec/launch_fields.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"
#include "engine/spec/training_fields.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<PhaseSpec>)
{
    field("name", &PhaseSpec::name,
          {.label = "Phase",
           .help = "Name of the phase in curves and messages; empty shows its number",
           .pattern = "^([A-Za-z0-9_][A-Za-z0-9._-]{0,63})?$"});
    field("steps", &PhaseSpec::steps,
          {.label = "Steps",
           .help = "Optimizer steps of the phase; warm-up, decay and evaluation interval count from its "
                   "first step",
           .range = atLeast(1),
           .unit = "steps"});
    field("keep_optimizer", &PhaseSpec::keepOptimizer,
          {.label = "Keep optimizer state",
           .help = "Keeps the moments of the previous phase; otherwise they start at 0"});
    field("dataset", &PhaseSpec::dataset,
          {.help = "Fields of dataset to override; a data set that an earlier phase read is continued"});
    field("batch", &PhaseSpec::batch, {.help = "Fields of batch to override"});
    field("optimizer", &PhaseSpec::optimizer, {.help = "Fields of optimizer to override"});
    field("memory", &PhaseSpec::memory, {.help = "Fields of memory to override"});
    field("evaluation", &PhaseSpec::evaluation, {.help = "Fields of evaluation to override"});
}

} // namespace trainyard
