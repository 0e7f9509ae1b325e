#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace trainyard {

/// The bytes that HDF5's filter pipeline "shuffle, deflate" makes of one chunk. zlib's Adler-32 inside lets
/// every reader notice damage. Any thread.
std::vector<std::byte> encodeChunk(std::span<const std::byte> values, std::size_t bytesPerValue,
                                   int deflateLevel);

} // namespace trainyard
