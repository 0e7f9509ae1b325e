#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// The code point of an HTML 4 entity name without "&" and ";".
std::optional<char32_t> namedEntity(std::string_view name);

/// Replaces "&nbsp;", "&#160;", "&#xA0;" and their like, and again what that gives, because dumps hold many that
/// were escaped twice ("&amp;ndash;"). What is no entity stays as it is.
std::string decodeEntities(std::string_view text);

/// Writes every ASCII punctuation character as a numeric entity, so that no later pass takes it for markup.
std::string encodeAsEntities(std::string_view text);

} // namespace trainyard
