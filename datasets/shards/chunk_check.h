#pragma once

#include <string>

#include "datasets/shards/hdf5_handle.h"

namespace trainyard {

/// Describes the problem with the storage of a dataset of rank 1 or 2, in words that follow its name; empty
/// if there is none. HDF5 1.10 does not compare the output of its filters with the size of a chunk, and reads
/// past its buffer if damage has changed the shape of the chunks, their filters or the index that skips
/// filters. Therefore every entry of the index and the size of the first chunk are checked before the first
/// read. The content of a chunk is protected by the checksum of zlib.
std::string chunkProblem(const Hdf5Handle& dataset);

} // namespace trainyard
