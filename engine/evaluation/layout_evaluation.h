#pragma once

#include <functional>

#include "engine/base/result.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"
#include "engine/training/whole_tensors.h"

namespace trainyard {

/// One step of training in a layout, without its update.
struct LayoutEvaluation {
    double loss = 0;
    Logits logits; ///< whole, in float64: at the targets, or at every position [T, V]: givesEveryToken()
    WholeTensors gradients; ///< float64
};

/// Hugging Face gives the logits of all tokens; those of the words are wanted of masked ones alone.
bool givesEveryToken(const ModelSpec& model);

/// The run that evaluates `batch` with a specification's layout and memory settings, a micro-batch per
/// sequence. BadInput or Refused naming the field when the sequences cannot be shared.
Result<RunSpec> evaluationRun(const RunSpec& layout, const ModelSpec& model, ComputeType precision,
                              const TokenBatch& batch);

/// Ranks are threads of this process. `spec`: of evaluationRun(). `device` has the host's memory. Throws
/// c10::Error when ATen does.
Result<LayoutEvaluation> evaluateInLayout(const RunSpec& spec, const WholeTensors& weights,
                                          const TokenBatch& batch, const Device& device = {});

} // namespace trainyard
