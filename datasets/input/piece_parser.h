#pragma once

#include <vector>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// The documents of a piece, in order; of an export only articles. Counts what is left out and why. Bytes
/// that are no UTF-8 become U+FFFD and are counted. BadInput names the file and the place of what cannot be
/// read. Any thread.
Result<std::vector<CorpusDocument>> parsePiece(const CorpusPiece& piece, SkipCounters& counters);

} // namespace trainyard
