#pragma once

#include <vector>

#include "engine/model/stage_range.h"

namespace trainyard {

/// Every tensor of a model in the order of the forward pass, each once: a tied head has no decoder of its
/// own.
std::vector<ParameterSpec> modelParameters(const ModelSpec& model);

/// Those of one pipeline stage. A stage with a tied head that predicts words and without the embeddings gets
/// a copy of the word embeddings as its last tensor (ParameterSpec::isCopy).
std::vector<ParameterSpec> modelParameters(const ModelSpec& model, const StageRange& stage);

} // namespace trainyard
