#pragma once

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// The language of Wikipedia dumps by their names, as a model card calls it: "en" for
/// "enwiki-20260101-pages-articles.xml.bz2". nullopt unless all files are such dumps of one language.
std::optional<std::string> languageOfDumps(const std::vector<std::string>& files);

} // namespace trainyard
