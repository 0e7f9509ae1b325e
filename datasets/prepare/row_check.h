#pragma once

#include <optional>

#include "datasets/prepare/invariant.h"
#include "datasets/pretraining/instance.h"
#include "datasets/shards/row_block.h"
#include "datasets/tokenizer/vocabulary.h"

namespace trainyard {

/// Checks invariants 2 to 5 of one row and takes it apart. `out` is the row as the instance that it came
/// from; it is filled only when no violation is returned (singleSentence stays false, rows do not tell).
std::optional<Violation> checkRow(const RowBlock& rows, std::size_t row, const Vocabulary& vocabulary,
                                  double maskedShare, Instance& out);

} // namespace trainyard
