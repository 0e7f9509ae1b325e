#pragma once

#include <string_view>

#include "datasets/input/corpus_format.h"
#include "engine/base/result.h"

namespace trainyard {

/// What a text begins as, from its first kilobytes. BadInput, with what to do, where these do not tell; the
/// message does not name the file.
Result<CorpusFormat> sniffFormat(std::string_view head);

} // namespace trainyard
