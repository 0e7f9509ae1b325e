#pragma once

#include <string>
#include <string_view>

#include "datasets/corpus/markup_settings.h"

namespace trainyard {

/// Replaces [[target|label]] by its label and [http://... label] by its label, and removes pictures,
/// categories and links to other languages with their content. Links that are not closed before the end of
/// the paragraph, and pictures that are not closed before the end of the section, only lose their brackets;
/// unmatched brackets are removed alone.
std::string replaceLinks(std::string_view markup, const MarkupSettings& settings);

} // namespace trainyard
