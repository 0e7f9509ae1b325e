#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// Returns the code point of an HTML 4 entity name, given without "&" and ";".
std::optional<char32_t> namedEntity(std::string_view name);

/// Decodes "&nbsp;", "&#160;", "&#xA0;" and the like, and then the result again, because dumps contain many
/// entities that were escaped twice ("&amp;ndash;"). Unknown entities stay as they are.
std::string decodeEntities(std::string_view text);

/// Writes every ASCII punctuation character as a numeric entity, so that no later pass takes it for markup.
std::string encodeAsEntities(std::string_view text);

} // namespace trainyard
