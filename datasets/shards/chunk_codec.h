#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "datasets/shards/run_deflate.h"

namespace trainyard {

/// Encodes one chunk after the other as the filter pipeline "shuffle, deflate" of HDF5 would. The Adler-32 of
/// zlib lets every reader detect damage. The same values give the same bytes. One thread at a time.
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
