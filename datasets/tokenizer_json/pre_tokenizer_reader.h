#pragma once

#include "datasets/tokenizer_json/json_field.h"
#include "datasets/tokenizer_json/pre_tokenizer.h"

namespace trainyard {

struct ReadPreTokenizer {
    PreTokenizer steps;
    /// The pieces are bytes: a ByteLevel at the end, whose spelling is left to the model.
    bool endsInBytes = false;
    /// Where a step asks which piece is the first of the text: its place in the file. Else empty.
    std::string firstPieceAskedBy;
};

/// Reads the "pre_tokenizer" of a tokenizer.json. BadInput names a type or a setting that is not supported.
Result<ReadPreTokenizer> readPreTokenizer(const JsonField& field);

} // namespace trainyard
