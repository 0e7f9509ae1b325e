#pragma once

#include <optional>

#include <nlohmann/json_fwd.hpp>

#include "datasets/tokenizer/row_frame.h"
#include "datasets/tokenizer_json/byte_pair_model.h"

namespace trainyard {

/// What the "post_processor" of a tokenizer.json puts around texts: TemplateProcessing, BertProcessing or
/// RobertaProcessing, or the first of them in a Sequence. nullopt if there is none, it is of another kind, or
/// it names tokens that are not among `tokens`.
std::optional<RowFrame> frameOf(const nlohmann::json& processor, const TokenIds& tokens);

} // namespace trainyard
