#pragma once

#include <functional>
#include <iosfwd>
#include <string_view>

#include "datasets/tokenizer/wordpiece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Reads lines {"text": ...} and writes a line {"ids": [...]} for each, without [CLS] and [SEP]. BadInput
/// names the first line that is not such an object. `put` receives some lines at a time; returning false ends
/// the work.
Status tokenizeLines(const WordPiece& tokenizer, std::istream& in,
                     const std::function<bool(std::string_view)>& put);

} // namespace trainyard
