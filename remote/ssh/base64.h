#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard::ssh {

/// RFC 4648, with padding.
std::string toBase64(std::string_view bytes);
/// Returns nullopt when the text is not base64 with padding.
std::optional<std::string> fromBase64(std::string_view text);

} // namespace trainyard::ssh
