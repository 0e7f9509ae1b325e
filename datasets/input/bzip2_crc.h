#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

/// The checksum of a bzip2 block: CRC-32 with the polynomial 0x04C11DB7, highest bit first.
std::uint32_t bzip2Crc(std::string_view bytes);

} // namespace trainyard
