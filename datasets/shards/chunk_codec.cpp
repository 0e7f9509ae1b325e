#include "datasets/shards/chunk_codec.h"

#include <zlib.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

/// HDF5's shuffle filter: all first bytes of the values, then all second bytes, and so on. High bytes of
/// token ids are mostly zero, so the runs compress well.
std::vector<std::byte> shuffled(std::span<const std::byte> values, std::size_t bytesPerValue)
{
    const std::size_t count = values.size() / bytesPerValue;
    std::vector<std::byte> out(values.size());
    for (std::size_t byte = 0; byte < bytesPerValue; ++byte) {
        for (std::size_t i = 0; i < count; ++i)
            out[byte * count + i] = values[i * bytesPerValue + byte];
    }
    return out;
}

} // namespace

std::vector<std::byte> encodeChunk(std::span<const std::byte> values, std::size_t bytesPerValue,
                                   int deflateLevel)
{
    // HDF5 skips the shuffle of one-byte values.
    std::vector<std::byte> copy;
    if (bytesPerValue > 1) {
        copy = shuffled(values, bytesPerValue);
        values = copy;
    }
    uLongf size = compressBound(values.size());
    std::vector<std::byte> out(size);
    const int status = compress2(reinterpret_cast<Bytef*>(out.data()), &size,
                                 reinterpret_cast<const Bytef*>(values.data()), values.size(), deflateLevel);
    TRAINYARD_CHECK(status == Z_OK); // only fails for a too small buffer or no memory
    out.resize(size);
    return out;
}

} // namespace trainyard
