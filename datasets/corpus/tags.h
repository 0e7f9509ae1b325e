#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// First pass over wiki markup: removes comments, footnotes, formulas, code listings, galleries and the like
/// with their content, and protects <nowiki> content from all later passes. A footnote that is never closed
/// loses only its opening tag, not the rest of the article.
std::string dropElements(std::string_view markup);

/// Last pass over markup: removes the remaining tags and keeps their content. Tags that break a line become a
/// line end.
std::string dropTags(std::string_view markup);

} // namespace trainyard
