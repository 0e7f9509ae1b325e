#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

/// One slice of a checkpoint, and the tensor that it is of.
struct SliceInFile {
    const LogicalTensor* tensor;
    const TensorSlice* slice;
};

/// Compares a shard's header and size with the manifest. BadInput when they differ: the file is truncated,
/// damaged or another one.
Status checkShardHeader(const StoredFile& shard, const std::vector<SliceInFile>& slices);

} // namespace trainyard
