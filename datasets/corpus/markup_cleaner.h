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

/// Turns wiki markup into running text, in time in proportion to its length. Any input is accepted: broken
/// markup costs at most the construct that it breaks. Any thread.
CleanText cleanMarkup(std::string_view markup, const MarkupSettings& settings);

/// For a wiki of which nothing is known.
CleanText cleanMarkup(std::string_view markup);

} // namespace trainyard
