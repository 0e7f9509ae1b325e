#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/corpus/markup_settings.h"

namespace trainyard {

/// Counts the lines of an article that were dropped.
struct DroppedLines {
    std::uint64_t headings = 0;
    std::uint64_t listItems = 0;
    std::uint64_t tableRows = 0;    ///< rows of tables without an end
    std::uint64_t preformatted = 0; ///< lines that start with a blank: code, drawings
    std::uint64_t fragments = 0;    ///< paragraphs without a sentence: labels, captions, remnants
    std::uint64_t appendices = 0;   ///< lines of "References", "External links" and similar sections
};

/// A unit of text; no sentence crosses its end.
struct Paragraph {
    std::string text;     ///< UTF-8, one line
    bool heading = false; ///< is one sentence, whatever it contains

    bool operator==(const Paragraph&) const = default;
};

/// Joins lines to paragraphs as MediaWiki does (an empty line ends one) and keeps only running text:
/// headings, list items, table rows and preformatted lines are dropped, as in the original BERT corpus,
/// unless the settings keep headings or lists. Expects text without links, templates and tags.
std::vector<Paragraph> joinParagraphs(std::string_view text, const MarkupSettings& settings,
                                      DroppedLines& dropped);

/// Repairs the gaps left by removed markup: "( , 1990)" becomes "(1990)", "()" is removed, "word ," becomes
/// "word,", runs of blanks become one. Handles brackets and quotation marks of all scripts.
std::string tidy(std::string_view paragraph);

} // namespace trainyard
