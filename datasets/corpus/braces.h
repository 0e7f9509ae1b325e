#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Replaces templates {{...}} by what they leave in the text (template_text.h) and drops tables {|...|} and
/// parameters {{{...}}}, at any depth of nesting. Braces without a partner go alone, without their line.
std::string replaceBraces(std::string_view markup);

} // namespace trainyard
