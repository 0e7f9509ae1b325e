#pragma once

#include <string_view>
#include <vector>

#include "datasets/corpus/markup_settings.h"
#include "datasets/corpus/paragraphs.h"

namespace trainyard {

/// An article as plain text.
struct CleanText {
    std::vector<Paragraph> paragraphs;
    DroppedLines dropped;
};

/// Converts wiki markup to running text, in time proportional to its length. Accepts any input: broken markup
/// costs at most the construct that it breaks. Any thread.
CleanText cleanMarkup(std::string_view markup, const MarkupSettings& settings);

/// For a wiki without known settings.
CleanText cleanMarkup(std::string_view markup);

} // namespace trainyard
