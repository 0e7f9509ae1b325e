#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datasets/shards/run_deflate.h"

namespace trainyard {

/// Makes of one chunk after the other the bytes that HDF5's filter pipeline "shuffle, deflate" would make.
/// zlib's Adler-32 inside lets every reader notice damage. The same values give the same bytes. One thread at
/// a time.
class ChunkEncoder {
public:
    /// Valid until the next call.
    std::span<const std::byte> encode(std::span<const std::byte> values, std::size_t bytesPerValue);

private:
    RunDeflate m_deflate;
    std::vector<std::byte> m_shuffled;
    std::vector<std::byte> m_encoded;
};

} // namespace trainyard
