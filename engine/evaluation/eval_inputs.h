#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/nn/token_batch.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The batch in a safetensors file with integer tensors, named and meant as Hugging Face's arguments:
///     input_ids            [B, S]
///     labels               [B, S]; -100 = no label. An encoder predicts the label where it stands, a decoder
///                          at the position before. Of a model that classifies rows [B], of a regression [B]
///                          floating-point numbers
///     start_positions, end_positions  [B], instead of labels, of a model that answers questions
///     attention_mask       [B, S], optional: all ones
///     token_type_ids       [B, S], models with token types only, optional: all zeros
///     next_sentence_label  [B], models with next-sentence head only
/// BadInput naming file and tensor where one is missing, has another shape, or holds a value that the model
/// has no room for.
Result<TokenBatch> readEvalInputs(const std::filesystem::path& file, const ModelSpec& model);

} // namespace trainyard
