#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Returns "⁻¹²" for "-12"; empty if the text has other characters than ASCII digits, "+", "-" and "−".
std::string superscript(std::string_view number);

} // namespace trainyard
