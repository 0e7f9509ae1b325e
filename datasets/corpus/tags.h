#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// First pass over wiki markup: drops comments, footnotes, formulas, code listings, galleries and the like
/// with their content, and makes <nowiki> content safe from all later passes. A footnote that is never closed
/// loses only its opening tag, not the rest of the article.
std::string dropElements(std::string_view markup);

/// Last pass over markup: removes the tags that are left and keeps what is between them. Tags that break a
/// line become a line end.
std::string dropTags(std::string_view markup);

} // namespace trainyard
