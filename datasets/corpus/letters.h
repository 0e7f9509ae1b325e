#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "datasets/corpus/letter_tables.h"

namespace trainyard {

/// The kinds of a character (letter_kind), by one look-up. Any thread.
std::uint8_t letterKinds(char32_t code);

/// As Python's str.lower(): U+0130 becomes two characters, a capital sigma at the end of a word a final one.
/// Bytes that are no UTF-8 stay.
std::string lowerCase(std::string_view text);

} // namespace trainyard
