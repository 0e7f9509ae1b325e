#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<InitSpec>)
{
    field(
        "path", &InitSpec::path,
        {.label = "Begin from",
         .help =
             "Folder of a Hugging Face model, a run or a checkpoint, or id of a run; sent at launch if only "
             "this computer has it; empty draws the weights from the seed",
         .pattern = "^(/|[^/]*$)"});
    field("step", &InitSpec::step,
          {.label = "Checkpoint step",
           .help = "Step of the run's checkpoint; 0 selects the newest complete one",
           .range = atLeast(0),
           .zero = "Newest"});
    field("optimizer", &InitSpec::optimizer,
          {.label = "Optimizer state too",
           .help = "Loads the optimizer's state with the weights; it must be that of optimizer.kind"});
    field("resize", &InitSpec::resize,
          {.label = "Allow resizing",
           .help = "Allows another vocabulary or number of positions: rows in excess are left out, new ones "
                   "are drawn from the seed"});
}

} // namespace trainyard
