#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Where a specification has a key of this name, for hints: "under \"optimizer\"", "at the top level"; empty
/// when there is none.
std::string placesOfKey(std::string_view key);

} // namespace trainyard
