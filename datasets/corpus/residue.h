#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// A line without the markup that no pass could place, because its partner is missing or it belongs nowhere:
/// "{{", "]]", "{|", "-->", behaviour switches as "__TOC__", and signatures ("~~~~").
std::string withoutResidue(std::string_view line);

} // namespace trainyard
