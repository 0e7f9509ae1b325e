#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

/// CRC-32C (Castagnoli polynomial, as in iSCSI, RFC 3720), rotated and offset as TFRecord files keep it:
///     masked = ((crc >> 15) | (crc << 17)) + 0xa282ead8
/// Masked, because a file may hold checksums among the bytes that are summed up.
std::uint32_t maskedCrc32c(std::string_view bytes);

} // namespace trainyard
