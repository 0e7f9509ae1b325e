#include "engine/hand_over/corpus_language.h"

#include <algorithm>
#include <string_view>

namespace trainyard {

namespace {

constexpr std::string_view kWikipedia = "wiki-";

/// Names of languages have two or three letters. Longer ones in this place ("commons", "species") are other
/// wikis, and codes with an underscore are dialects that model cards write differently.
std::optional<std::string> languageOf(const std::string& file)
{
    const std::size_t end = file.find(kWikipedia);
    if (end == std::string::npos || end < 2 || end > 3)
        return std::nullopt;
    const std::string language = file.substr(0, end);
    const bool isCode = std::ranges::all_of(language, [](char c) { return c >= 'a' && c <= 'z'; });
    return isCode ? std::optional(language) : std::nullopt;
}

} // namespace

std::optional<std::string> languageOfDumps(const std::vector<std::string>& files)
{
    std::optional<std::string> common;
    for (const std::string& file : files) {
        const auto language = languageOf(file);
        if (!language || (common && *common != *language))
            return std::nullopt;
        common = language;
    }
    return common;
}

} // namespace trainyard
