#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// The lines of a text; a byte order mark before the first one and carriage returns are removed.
std::vector<std::string_view> csvLines(std::string_view text);

/// The cells of a line, without the blanks around them. A cell in quotes may hold commas, and "" for a quote
/// (RFC 4180), but no end of line. BadInput where a quote is not closed, or text follows the closing one.
Result<std::vector<std::string>> csvCells(std::string_view line);

} // namespace trainyard
