#pragma once

#include "datasets/tokenizer_json/byte_pair_model.h"
#include "datasets/tokenizer_json/json_field.h"
#include "datasets/tokenizer_json/word_piece_model.h"

namespace trainyard {

/// Reads the "vocab" of a model: tokens with their ids.
Result<TokenIds> readVocabulary(const JsonField& field);

/// Reads the "model" of a tokenizer.json of type BPE. BadInput names a setting that is wrong or not
/// supported.
Result<BytePairSettings> readBytePairModel(const JsonField& field);

/// Reads the "model" of type WordPiece.
Result<WordPieceSettings> readWordPieceModel(const JsonField& field);

} // namespace trainyard
