#pragma once

#include <string>
#include <string_view>

namespace trainyard {

/// Removes the apostrophes that mark italics and bold from a line. Counts like MediaWiki: four are an
/// apostrophe and bold, and if neither bold nor italics are closed, one of the bold marks is an apostrophe
/// and italics ("dell'''Eneide'''").
std::string withoutQuoteMarkup(std::string_view line);

} // namespace trainyard
