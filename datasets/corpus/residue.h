#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Removes the markup that no pass could interpret from a line, because its partner is missing or it is out
/// of place: "{{", "]]", "{|", "-->", behaviour switches such as "__TOC__", and signatures ("~~~~").
std::string withoutResidue(std::string_view line);

} // namespace trainyard
