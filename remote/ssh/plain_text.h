#pragma once

#include <string>
#include <string_view>

#include "engine/base/untrusted_text.h"

namespace trainyard::ssh {

/// sanitizeText() of a server's message, without blanks and line breaks at its end.
std::string plainText(std::string_view bytes, std::size_t mostBytes, Lines lines = Lines::One);

} // namespace trainyard::ssh
