#pragma once

#include <span>
#include <string_view>

namespace trainyard {

/// Titles of the final sections of an article that list sources, links and pictures ("References"), in the
/// larger languages, in lower case.
std::span<const std::string_view> appendixTitles();

} // namespace trainyard
