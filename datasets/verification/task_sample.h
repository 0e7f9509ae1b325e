#pragma once

#include <string>
#include <vector>

#include "datasets/shards/row_block.h"
#include "datasets/verification/sample_row.h"

namespace trainyard {

/// A row of a task as readable pieces, with what it is labelled with. `index`: in `rows`, which hold the
/// columns of their task; `row`: in the shard. `labels`: names of the classes by their numbers. Requires a
/// row without violations.
SampleRow decodeTaskRow(const std::string& shard, std::uint64_t row, const RowBlock& rows, std::size_t index,
                        const Vocabulary& vocabulary, const std::vector<std::string>& labels);

} // namespace trainyard
