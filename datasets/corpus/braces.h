#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Replaces templates {{...}} by what they leave in the text (template_text.h) and drops tables {|...|} and
/// parameters {{{...}}}, at any depth of nesting, and chooses among the -{variants}- of a language. Braces
/// without a partner go without their line; what follows the last bar of an unclosed template stays.
std::string replaceBraces(std::string_view markup);

} // namespace trainyard
