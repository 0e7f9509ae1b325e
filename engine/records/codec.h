#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/records/record.h"

namespace trainyard {

/// Bytes of a payload without its frame; FORMAT.md describes them.
std::string encodePayload(const Payload& payload);

/// nullopt when the type is unknown (written by a newer program) or the bytes do not fit the type. Bytes
/// after the known fields are ignored: newer programs append fields.
std::optional<Payload> decodePayload(std::uint8_t type, std::string_view bytes);

} // namespace trainyard
