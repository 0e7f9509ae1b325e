#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Returns the text of a line {"text": "..."}; other members are ignored. nullopt if the line is not a JSON
/// object with a string of this name, in UTF-8.
std::optional<std::string> textOfLine(std::string_view line);

} // namespace trainyard
