#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace trainyard {

/// "line 3, column 7". `byte` counts from 1, as parsers of JSON do; one behind the text when it ends too
/// early.
std::string placeOfByte(std::string_view text, std::size_t byte);

} // namespace trainyard
