#include "datasets/input/escapes.h"

#include <array>
#include <utility>

namespace trainyard {

namespace {

constexpr std::array<std::pair<std::string_view, char>, 5> kEscapes{
    {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}}};

/// Decodes the escape at the front of `text`, which starts with '&'; returns the character and the size of
/// the escape.
std::pair<char, std::size_t> unescape(std::string_view text)
{
    for (const auto& [escape, character] : kEscapes) {
        if (text.starts_with(escape))
            return {character, escape.size()};
    }
    return {'&', 1};
}

} // namespace

std::string withoutEscapes(std::string_view text)
{
    std::string plain;
    while (!text.empty()) {
        const std::size_t escape = text.find('&');
        plain.append(text.substr(0, escape));
        if (escape == std::string_view::npos)
            break;
        text.remove_prefix(escape);
        const auto [character, size] = unescape(text);
        plain.push_back(character);
        text.remove_prefix(size);
    }
    return plain;
}

} // namespace trainyard
