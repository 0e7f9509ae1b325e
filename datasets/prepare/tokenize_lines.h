#pragma once

#include <iosfwd>

#include "datasets/tokenizer/wordpiece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads lines {"text": ...} and writes a line {"ids": [...]} for each, without [CLS] and [SEP]. BadInput
/// names the first line that is not such an object.
Status tokenizeLines(const WordPiece& tokenizer, std::istream& in, std::ostream& out);

} // namespace trainyard
