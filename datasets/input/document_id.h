#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

/// The id that a text stands for: the number in it, or else its hash.
std::uint64_t idOfText(std::string_view text);

} // namespace trainyard
