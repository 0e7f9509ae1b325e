#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Replaces [[target|label]] by its label and [http://... label] by its label, and drops pictures, categories
/// and links to other languages with all that they contain. Brackets without a partner go alone.
std::string replaceLinks(std::string_view markup);

} // namespace trainyard
