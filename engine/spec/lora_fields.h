#pragma once

#include "engine/spec/field_info.h"
#include "engine/spec/limits.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

template <typename Visitor>
void describe(Visitor& field, Of<LoraSpec>)
{
    field("rank", &LoraSpec::rank,
          {.label = "Adapter rank",
           .help = "Trains adapters of this rank and the last product of a task, and freezes all other "
                   "weights; without section lora all are trained",
           .range = between(0, kMaxLoraRank),
           .zero = "Off",
           .source = "Hu et al., arXiv:2106.09685"});
    field("alpha", &LoraSpec::alpha,
          {.label = "Adapter alpha",
           .help = "The output of an adapter is multiplied by alpha / rank",
           .range = positive()});
    field("dropout", &LoraSpec::dropout,
          {.label = "Adapter dropout",
           .help = "Fraction of the inputs of an adapter that are dropped",
           .range = fraction()});
    field("targets", &LoraSpec::targets,
          {.label = "Adapter targets",
           .help =
               "Products of each layer, by the end of their names as in PEFT: query, key, value, "
               "intermediate.dense, output.dense or dense; c_attn, c_fc or c_proj; empty chooses as PEFT"});
}

} // namespace trainyard
