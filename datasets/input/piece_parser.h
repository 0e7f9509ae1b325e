#pragma once

#include <vector>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// Returns the documents of a piece in order; of an export only the articles. Counts skipped documents by
/// reason. Bytes that are not UTF-8 become U+FFFD and are counted. BadInput names the file and the position
/// of the error. Any thread.
Result<std::vector<CorpusDocument>> parsePiece(const CorpusPiece& piece, SkipCounters& counters);

} // namespace trainyard
