#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/text_encoder.h"
#include "datasets/tokenizer_json/added_tokens.h"
#include "datasets/tokenizer_json/json_field.h"
#include "datasets/tokenizer_json/model_reader.h"

namespace trainyard {

/// What becomes of the name of a special token ("special": true) that stands in a text.
enum class SpecialInText {
    Found, ///< the token, as Hugging Face's tokenizers take it
    Text,  ///< characters like others: an article about "<|endoftext|>" does not end there
};

/// The parsed file, an object with known keys. See loadTokenizer() for errors.
Result<nlohmann::json> parseTokenizerDocument(std::string_view json);

Result<std::unique_ptr<Tokenizer>> tokenizerOf(const nlohmann::json& document, SpecialInText special);

enum class ModelKind { BytePairs, WordPiece };
/// Reads the type of "model".
Result<ModelKind> modelKindOf(const JsonField& model);

/// Reads "added_tokens"; `vocabulary` is the model's.
Result<std::vector<AddedToken>> readAddedTokens(const JsonField& field, const TokenIds& vocabulary);

} // namespace trainyard
