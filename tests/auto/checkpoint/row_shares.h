#pragma once

#include <vector>

#include "engine/checkpoint/format/checkpoint_writer.h"

namespace trainyard {

/// The share that shard `index` of `count` writes of tensors which every rank holds whole: consecutive rows,
/// about as many bytes for every shard. Every element falls to exactly one shard. Views of the same memory.
std::vector<SliceToSave> shareOf(const std::vector<TensorBytes>& tensors, int index, int count);

} // namespace trainyard
