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

/// Holds the header of a shard and its size against what the manifest says of it. BadInput when they differ:
/// the file is cut off, damaged or another one.
Status checkShardHeader(const StoredFile& shard, const std::vector<SliceInFile>& slices);

} // namespace trainyard
