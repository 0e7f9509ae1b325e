#pragma once

#include <vector>

#include "datasets/tokenizer/vocabulary.h"
#include "datasets/tokenizer_json/byte_pair_model.h"
#include "datasets/tokenizer_json/json_field.h"

namespace trainyard {

/// Where the special tokens of a tokenizer.json are named.
struct SpecialSources {
    const TokenIds& tokens;                            ///< of the model, and added ones
    const nlohmann::json& postProcessor;               ///< of the tokenizer.json
    std::vector<const nlohmann::json*> configurations; ///< special_tokens_map.json, tokenizer_config.json
};

/// Finds the ids of the special tokens; kNone for those that the tokenizer lacks. The ends of a row and the
/// mask are those that the first configuration names (cls_token, sep_token, mask_token), else those that the
/// post_processor puts around a text, else tokens of the usual names: [CLS] or <s>, [SEP] or </s>, [MASK] or
/// <mask>. A document ends with the first of <|endoftext|>, <|end_of_text|>, </s> and <eos> that there is,
/// else with the eos_token, else with what ends a row. `unknown` is left to the caller.
SpecialTokens findSpecialTokens(const SpecialSources& sources);

} // namespace trainyard
