#include "datasets/input/bzip2_crc.h"

#include <array>
#include <bit>
#include <cstring>

namespace trainyard {

namespace {

constexpr std::size_t kSlices = 8;
using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

/// tables[k][b]: what byte b does to the checksum from k bytes further on ("slicing-by-8": M. Kounavis, F.
/// Berry, Novel Table Lookup-Based Algorithms for High-Performance CRC Generation, 2008).
constexpr Tables makeTables()
{
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte << 24;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc << 1) ^ (crc >> 31 ? 0x04C11DB7u : 0u);
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::uint32_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before << 8) ^ tables[0][before >> 24];
        }
    }
    return tables;
}

constexpr Tables kTables = makeTables();

std::uint32_t bigEndian(const char* bytes)
{
    static_assert(std::endian::native == std::endian::little);
    std::uint32_t word;
    std::memcpy(&word, bytes, sizeof(word));
    return __builtin_bswap32(word);
}

std::uint32_t fourBytes(std::size_t slice, std::uint32_t word)
{
    return kTables[slice + 3][word >> 24] ^ kTables[slice + 2][(word >> 16) & 0xFF] ^
           kTables[slice + 1][(word >> 8) & 0xFF] ^ kTables[slice][word & 0xFF];
}

} // namespace

std::uint32_t bzip2Crc(std::string_view bytes)
{
    std::uint32_t crc = ~0u;
    for (; bytes.size() >= kSlices; bytes.remove_prefix(kSlices))
        crc = fourBytes(4, crc ^ bigEndian(bytes.data())) ^ fourBytes(0, bigEndian(bytes.data() + 4));
    for (const char c : bytes)
        crc = (crc << 8) ^ kTables[0][(crc >> 24) ^ static_cast<unsigned char>(c)];
    return ~crc;
}

} // namespace trainyard
