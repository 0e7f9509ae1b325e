#pragma once

#include <string_view>

#include "datasets/options/corpus_format.h"
#include "engine/base/result.h"

namespace trainyard {

/// Detects the format of a text from its first kilobytes. BadInput with a hint if it cannot be recognized;
/// the message does not name the file.
Result<CorpusFormat> sniffFormat(std::string_view head);

} // namespace trainyard
