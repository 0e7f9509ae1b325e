#pragma once

#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Cross entropies summed over one batch.
struct PlainLosses {
    double tokens = 0;
    double sequences = 0;
};

/// The loss of a model written down once more: one sequence, one head and one token after the other, in loops
/// over plain numbers, without any function of the engine but the names of its tensors. Float64 parameters;
/// no dropout.
PlainLosses plainLosses(const ModelSpec& model, const ParameterStore& parameters, const TokenBatch& batch);

} // namespace trainyard
