#pragma once

#include <string>
#include <string_view>

#include "datasets/corpus/markup_settings.h"

namespace trainyard {

/// Replaces [[target|label]] by its label and [http://... label] by its label, and drops pictures, categories
/// and links to other languages with all that they contain. Links that are not closed before the paragraph
/// ends, pictures before the section ends, lose their brackets; brackets without a partner go alone.
std::string replaceLinks(std::string_view markup, const MarkupSettings& settings);

} // namespace trainyard
