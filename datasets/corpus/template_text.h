#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Returns the text of a template call in the sentence around it. `call` is the text between "{{" and "}}",
/// with all inner templates already replaced. Most templates have no text; those that carry words or numbers
/// of the sentence (units, foreign words, dashes, fractions) keep them: {{convert|5|km}} becomes "5 km".
std::string templateText(std::string_view call);

} // namespace trainyard
