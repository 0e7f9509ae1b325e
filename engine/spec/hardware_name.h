#pragma once

#include <string_view>

namespace trainyard {

/// 1 to 64 letters, digits and . _ -, the first one a letter or digit: a file can be called so.
bool isHardwareName(std::string_view name);

} // namespace trainyard
