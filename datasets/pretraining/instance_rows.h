#pragma once

#include "datasets/pretraining/instance.h"
#include "datasets/shards/row_block.h"

namespace trainyard {

/// Appends the instance as one row. Requires that it fits the block's widths.
void appendRow(const Instance& instance, RowBlock& rows);

} // namespace trainyard
