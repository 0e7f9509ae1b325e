#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/corpus/markup_settings.h"

namespace trainyard {

/// What of an article's lines did not become text.
struct DroppedLines {
    std::uint64_t headings = 0;
    std::uint64_t listItems = 0;
    std::uint64_t tableRows = 0;    ///< of tables that were never closed
    std::uint64_t preformatted = 0; ///< lines that start with a blank: code, drawings
    std::uint64_t fragments = 0;    ///< paragraphs without a sentence: labels, captions, left-over words
    std::uint64_t appendices = 0;   ///< lines of "References", "External links" and their like
};

/// A piece of text that no sentence crosses.
struct Paragraph {
    std::string text;     ///< UTF-8, one line
    bool heading = false; ///< one sentence, whatever stands in it

    bool operator==(const Paragraph&) const = default;
};

/// Joins lines to paragraphs as MediaWiki does (an empty line ends one) and keeps running text only:
/// headings, list items, table rows and preformatted lines are left out, as in the original BERT corpus,
/// unless the settings keep headings or lists. Expects text without links, templates and tags.
std::vector<Paragraph> joinParagraphs(std::string_view text, const MarkupSettings& settings,
                                      DroppedLines& dropped);

/// Repairs what the removal of markup left: "( , 1990)" becomes "(1990)", "()" goes, "word ," becomes
/// "word,", runs of blanks become one; brackets and quotation marks of all scripts.
std::string tidy(std::string_view paragraph);

} // namespace trainyard
