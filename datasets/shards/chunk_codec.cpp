#include "datasets/shards/chunk_codec.h"

#include <cstdint>
#include <cstring>

#include <libdeflate.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// One plane of the shuffle: byte number `byte` of every value. Written for the compiler to vectorise.
template <typename Value>
void takePlane(const std::byte* values, std::size_t count, unsigned byte, std::byte* out)
{
    for (std::size_t i = 0; i < count; ++i) {
        Value value;
        std::memcpy(&value, values + i * sizeof value, sizeof value);
        out[i] = static_cast<std::byte>(value >> (8 * byte));
    }
}

/// HDF5's shuffle filter: all first bytes of the values, then all second bytes, and so on. High bytes of
/// token ids are mostly zero, so the runs compress well.
template <typename Value>
void shuffle(std::span<const std::byte> values, std::byte* out)
{
    const std::size_t count = values.size() / sizeof(Value);
    for (unsigned byte = 0; byte < sizeof(Value); ++byte)
        takePlane<Value>(values.data(), count, byte, out + byte * count);
}

struct FreeCompressor {
    void operator()(libdeflate_compressor* compressor) const { libdeflate_free_compressor(compressor); }
};

} // namespace

struct ChunkEncoder::State {
    std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor{
        libdeflate_alloc_compressor(kDeflateLevel)};
    std::vector<std::byte> shuffled;
    std::vector<std::byte> encoded;
};

ChunkEncoder::ChunkEncoder() : m_state(std::make_unique<State>())
{
    TRAINYARD_CHECK(m_state->compressor); // only fails without memory
}
ChunkEncoder::~ChunkEncoder() = default;
ChunkEncoder::ChunkEncoder(ChunkEncoder&&) noexcept = default;
ChunkEncoder& ChunkEncoder::operator=(ChunkEncoder&&) noexcept = default;

std::span<const std::byte> ChunkEncoder::encode(std::span<const std::byte> values, std::size_t bytesPerValue)
{
    State& state = *m_state;
    if (bytesPerValue > 1) { // HDF5 skips the shuffle of one-byte values
        TRAINYARD_CHECK(bytesPerValue == 4 || bytesPerValue == 8);
        state.shuffled.resize(values.size());
        bytesPerValue == 4 ? shuffle<std::uint32_t>(values, state.shuffled.data())
                           : shuffle<std::uint64_t>(values, state.shuffled.data());
        values = state.shuffled;
    }
    libdeflate_compressor* const compressor = state.compressor.get();
    state.encoded.resize(libdeflate_zlib_compress_bound(compressor, values.size()));
    const std::size_t size = libdeflate_zlib_compress(compressor, values.data(), values.size(),
                                                      state.encoded.data(), state.encoded.size());
    TRAINYARD_CHECK(size > 0); // only fails for a too small buffer
    return std::span(state.encoded).first(size);
}

} // namespace trainyard
