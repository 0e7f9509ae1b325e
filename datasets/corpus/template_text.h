#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// What a template call leaves in the running text, given what stands between "{{" and "}}" with all inner
/// templates already replaced. Most leave nothing; those that carry words or numbers of the sentence (units,
/// foreign words, dashes, fractions) leave them, as {{convert|5|km}} leaves "5 km".
std::string templateText(std::string_view call);

} // namespace trainyard
