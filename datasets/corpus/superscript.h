#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// "-12" as "⁻¹²"; empty when there is anything but ASCII digits, "+", "-" and "−".
std::string superscript(std::string_view number);

} // namespace trainyard
