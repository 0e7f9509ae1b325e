#pragma once

#include <functional>
#include <map>
#include <string>
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

/// By shard. The manifest outlives it.
using SlicesByFile = std::map<std::string, std::vector<SliceInFile>>;
SlicesByFile slicesByFile(const CheckpointManifest& manifest);

/// Compares a shard's header and size with the manifest. BadInput when they differ: the file is truncated,
/// damaged or another one.
Status checkShardHeader(const StoredFile& shard, const std::vector<SliceInFile>& slices);

/// Compares every slice with its hash. BadInput when one differs, Cancelled when `goesOn`, called every few
/// MB, returns false.
Status verifyShard(const StoredFile& shard, const std::vector<SliceInFile>& slices,
                   const std::function<bool()>& goesOn);

} // namespace trainyard
