#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Replaces templates {{...}} by their text (template_text.h), removes tables {|...|} and parameters
/// {{{...}}} at any depth of nesting, and selects one of the -{variants}- of a language. Unmatched braces are
/// removed without the rest of their line; the text after the last bar of an unclosed template stays.
std::string replaceBraces(std::string_view markup);

} // namespace trainyard
