#pragma once

#include <string>
#include <vector>

#include "datasets/input/corpus_piece.h"
#include "engine/base/result.h"

namespace trainyard {

/// One page of a MediaWiki export, with the text of its last revision in the file.
struct Page {
    std::uint64_t id = 0;
    int space = 0; ///< namespace; 0 = articles
    std::string title;
    std::string model = "wikitext"; ///< exports before 0.6 do not say
    std::string text;               ///< UTF-8 wiki markup
    bool redirect = false;
    bool deleted = false; ///< the text was suppressed
};

/// Parses the pages of a piece: export formats 0.8 to 0.11. BadInput names the last good page.
Result<std::vector<Page>> parsePages(const CorpusPiece& piece);

/// Returns the reason why a page does not become a document, which is the name of its counter; nullptr = it
/// is an article.
const char* reasonToSkip(const Page& page);

} // namespace trainyard
