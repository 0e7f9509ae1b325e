#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What of an article's lines did not become text.
struct DroppedLines {
    std::uint64_t headings = 0;
    std::uint64_t listItems = 0;
    std::uint64_t tableRows = 0;  ///< of tables that were never closed
    std::uint64_t fragments = 0;  ///< paragraphs without a sentence: labels, captions, left-over words
    std::uint64_t appendices = 0; ///< lines of "References", "External links" and their like
};

/// Joins lines to paragraphs as MediaWiki does (an empty line ends one) and keeps running text only:
/// headings, list items and table rows are left out, as in the original BERT corpus. Expects text without
/// links, templates and tags.
std::vector<std::string> joinParagraphs(std::string_view text, DroppedLines& dropped);

/// Repairs what the removal of markup left: "( , 1990)" becomes "(1990)", "()" goes, "word ," becomes
/// "word,", runs of blanks become one.
std::string tidy(std::string_view paragraph);

} // namespace trainyard
