#include "app/exchange/masked_crc.h"

#include <array>

namespace trainyard {

namespace {

constexpr std::uint32_t kReflectedPolynomial = 0x82f63b78;
constexpr std::uint32_t kMaskDelta = 0xa282ead8;
constexpr std::size_t kSlices = 8; ///< bytes at once: an event file may be gigabytes

using Tables = std::array<std::array<std::uint32_t, 256>, kSlices>;

constexpr Tables makeTables()
{
    Tables tables{};
    for (std::uint32_t byte = 0; byte < 256; ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (crc & 1 ? kReflectedPolynomial : 0);
        tables[0][byte] = crc;
    }
    for (std::size_t slice = 1; slice < kSlices; ++slice) {
        for (std::size_t byte = 0; byte < 256; ++byte) {
            const std::uint32_t before = tables[slice - 1][byte];
            tables[slice][byte] = (before >> 8) ^ tables[0][before & 0xff];
        }
    }
    return tables;
}

constexpr Tables kTables = makeTables();

std::uint32_t crc32c(std::string_view bytes)
{
    std::uint32_t crc = ~std::uint32_t{0};
    const auto* at = reinterpret_cast<const unsigned char*>(bytes.data());
    std::size_t left = bytes.size();
    for (; left >= kSlices; left -= kSlices, at += kSlices) {
        std::uint32_t next = 0;
        for (std::size_t i = 0; i < kSlices; ++i) {
            const std::uint32_t byte = i < 4 ? (at[i] ^ (crc >> (8 * i))) & 0xff : at[i];
            next ^= kTables[kSlices - 1 - i][byte];
        }
        crc = next;
    }
    for (; left > 0; --left, ++at)
        crc = (crc >> 8) ^ kTables[0][(crc ^ *at) & 0xff];
    return ~crc;
}

} // namespace

std::uint32_t maskedCrc32c(std::string_view bytes)
{
    const std::uint32_t crc = crc32c(bytes);
    return ((crc >> 15) | (crc << 17)) + kMaskDelta;
}

} // namespace trainyard
