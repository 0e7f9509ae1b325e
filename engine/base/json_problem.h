#pragma once

#include <exception>
#include <string>
#include <string_view>

namespace trainyard {

/// Explains why `text` is not JSON of the expected form, from an exception of the JSON library: "not valid
/// JSON at line 3, column 7", "\"files\" is missing", "a value must be string, but is number". An empty
/// `text` gives no position.
std::string jsonProblem(const std::exception& problem, std::string_view text = {});

} // namespace trainyard
