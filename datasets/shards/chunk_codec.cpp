#include "datasets/shards/chunk_codec.h"

#include <cstdint>
#include <cstring>

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

} // namespace

std::span<const std::byte> ChunkEncoder::encode(std::span<const std::byte> values, std::size_t bytesPerValue)
{
    const std::size_t planeBytes = values.size() / bytesPerValue;
    if (bytesPerValue > 1) { // HDF5 skips the shuffle of one-byte values
        TRAINYARD_CHECK(bytesPerValue == 4 || bytesPerValue == 8);
        m_shuffled.resize(values.size());
        bytesPerValue == 4 ? shuffle<std::uint32_t>(values, m_shuffled.data())
                           : shuffle<std::uint64_t>(values, m_shuffled.data());
        values = m_shuffled;
    }
    m_deflate.compress(values, planeBytes, m_encoded);
    return m_encoded;
}

} // namespace trainyard
