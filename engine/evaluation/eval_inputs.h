#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The batch in a safetensors file with the integer tensors input_ids, token_type_ids, attention_mask, labels
/// (all [B, S]; label -100 = not masked) and next_sentence_label [B]. BadInput naming file and tensor where
/// one is missing, has another shape, or holds a value that the model has no room for.
Result<TokenBatch> readEvalInputs(const std::filesystem::path& file, const ModelSpec& model);

} // namespace trainyard
