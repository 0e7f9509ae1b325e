#pragma once

#include <string>

#include "datasets/shards/hdf5_handle.h"

namespace trainyard {

/// What is wrong with the way in which a dataset of rank 1 or 2 is stored, in words that follow its name;
/// empty = nothing. HDF5 1.10 does not compare what its filters give with the size of a chunk, and reads
/// behind its buffer where damage has changed the shape of the chunks, their filters or the index that leaves
/// filters out. So these are looked at before the first read: every entry of the index, and the size of the
/// first chunk. What a chunk itself holds is guarded by zlib's checksum.
std::string chunkProblem(const Hdf5Handle& dataset);

} // namespace trainyard
