#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace trainyard {

/// Why `text` could not be read as JSON of the form that was expected, after an exception of the JSON
/// library: "not valid JSON at line 3, column 7", "\"files\" is missing", "a value must be string, but is
/// number". With an empty `text` no place is named.
std::string jsonProblem(const std::exception& problem, std::string_view text = {});

} // namespace trainyard
