#pragma once

#include <string_view>
#include <vector>

namespace trainyard {

/// first, first + step, ... last.
struct CodePointRange {
    char32_t first;
    char32_t last; ///< included
    char32_t step;
};

/// Reads a set of code points of a generated table: "9 41-5A 100-136/2" has hexadecimal code points, ranges,
/// and ranges of every second one, separated by blanks. In the order of the text.
std::vector<CodePointRange> codePoints(std::string_view text);

} // namespace trainyard
