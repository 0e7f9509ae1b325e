#pragma once

#include <optional>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// Returns the spelling of an error's kind in replies: "bad-input", "refused", "unreachable", "failed",
/// "cancelled".
std::string_view nameOf(ErrorKind kind);
std::optional<ErrorKind> errorKindFromName(std::string_view name);

} // namespace trainyard
