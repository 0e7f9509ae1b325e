#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace trainyard {

/// Makes of one chunk after the other the bytes that HDF5's filter pipeline "shuffle, deflate" would make.
/// zlib's Adler-32 inside lets every reader notice damage. The same values give the same bytes. One thread at
/// a time.
class ChunkEncoder {
public:
    ChunkEncoder();
    ~ChunkEncoder();
    ChunkEncoder(ChunkEncoder&&) noexcept;
    ChunkEncoder& operator=(ChunkEncoder&&) noexcept;

    /// Of libdeflate. On rows of text its output is smaller than zlib's at level 4, in less than half of the
    /// time; levels 3 and 4 gain nothing, 5 gains 2 % and takes 20 % longer.
    static constexpr int kDeflateLevel = 2;

    /// Valid until the next call.
    std::span<const std::byte> encode(std::span<const std::byte> values, std::size_t bytesPerValue);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
