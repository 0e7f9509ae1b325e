#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "datasets/corpus/letter_tables.h"

namespace trainyard {

/// Returns the kinds of a character (letter_kind), with one look-up. Any thread.
std::uint8_t letterKinds(char32_t code);

/// Like Python's str.lower(): U+0130 becomes two characters, a capital sigma at the end of a word becomes a
/// final one. Invalid UTF-8 bytes stay.
std::string lowerCase(std::string_view text);

} // namespace trainyard
