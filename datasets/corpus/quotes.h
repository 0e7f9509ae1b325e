#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// A line without the apostrophes that are italics and bold. As MediaWiki counts them: four are an apostrophe
/// and bold, and when neither bold nor italics are closed, one of the bold ones is an apostrophe and italics
/// ("dell'''Eneide''").
std::string withoutQuoteMarkup(std::string_view line);

} // namespace trainyard
