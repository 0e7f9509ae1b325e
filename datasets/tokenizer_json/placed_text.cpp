#include "datasets/tokenizer_json/placed_text.h"

#include <algorithm>

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// Words with the spaces before them.
std::vector<TextPlace> wordPlaces(std::string_view text)
{
    std::vector<TextPlace> words;
    std::size_t begin = 0;
    for (std::size_t at = 1; at <= text.size(); ++at) {
        if (at < text.size() && (text[at] != ' ' || text[at - 1] == ' '))
            continue;
        words.push_back({begin, at});
        begin = at;
    }
    return words;
}

std::string_view bytesAt(std::string_view text, TextPlace place)
{
    return text.substr(place.begin, place.end - place.begin);
}

std::string normalizedAt(const Normalizer& normalizer, std::string_view text, TextPlace place)
{
    std::string buffer;
    return std::string(normalizer.apply(bytesAt(text, place), buffer));
}

/// The parts of a text, each changed by itself.
std::vector<std::string> normalizedParts(const Normalizer& normalizer, std::string_view text,
                                         const std::vector<TextPlace>& places)
{
    std::vector<std::string> parts;
    for (const TextPlace& place : places)
        parts.push_back(normalizedAt(normalizer, text, place));
    return parts;
}

/// Characters, together with those behind that become one with them, such as accents.
std::vector<TextPlace> characterPlaces(const Normalizer& normalizer, std::string_view text, TextPlace of)
{
    std::vector<TextPlace> characters;
    for (std::size_t at = of.begin; at < of.end;) {
        const TextPlace next{at, at + decodeUtf8(text, at).bytes};
        at = next.end;
        const TextPlace both{characters.empty() ? next.begin : characters.back().begin, next.end};
        const bool areApart = characters.empty() || normalizedAt(normalizer, text, both) ==
                                                        normalizedAt(normalizer, text, characters.back()) +
                                                            normalizedAt(normalizer, text, next);
        if (areApart)
            characters.push_back(next);
        else
            characters.back() = both;
    }
    return characters;
}

std::string concatenated(const std::vector<std::string>& parts)
{
    std::string text;
    for (const std::string& part : parts)
        text += part;
    return text;
}

} // namespace

PlacedText::PlacedText(const Normalizer& normalizer, std::string_view source)
{
    std::string buffer;
    m_text = normalizer.apply(source, buffer);
    m_parts = {{{0, m_text.size()}, {0, source.size()}, m_text == source}};
    if (m_parts.front().isSame)
        return;
    const std::vector<TextPlace> places = wordPlaces(source);
    const std::vector<std::string> words = normalizedParts(normalizer, source, places);
    if (concatenated(words) != m_text)
        return;
    m_parts.clear();
    std::size_t done = 0;
    const auto add = [&](TextPlace of, const std::string& text) {
        m_parts.push_back({{done, done + text.size()}, of, text == bytesAt(source, of)});
        done += text.size();
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        if (words[i] == bytesAt(source, places[i])) {
            add(places[i], words[i]);
            continue;
        }
        std::vector<TextPlace> changed = characterPlaces(normalizer, source, places[i]);
        std::vector<std::string> texts = normalizedParts(normalizer, source, changed);
        if (concatenated(texts) != words[i]) {
            changed = {places[i]};
            texts = {words[i]};
        }
        for (std::size_t k = 0; k < changed.size(); ++k)
            add(changed[k], texts[k]);
    }
}

TextPlace PlacedText::sourceOf(TextPlace place) const
{
    if (m_parts.empty())
        return {};
    const Part& first = partAt(place.begin);
    const Part& last = partAt(std::max(place.end, place.begin + 1) - 1);
    return {first.isSame ? first.source.begin + (place.begin - first.text.begin) : first.source.begin,
            last.isSame ? last.source.begin + (place.end - last.text.begin) : last.source.end};
}

/// Parts without text end where the next one begins.
const PlacedText::Part& PlacedText::partAt(std::size_t at) const
{
    const auto behind =
        std::ranges::upper_bound(m_parts, at, {}, [](const Part& part) { return part.text.begin; });
    return behind == m_parts.begin() ? m_parts.front() : *(behind - 1);
}

} // namespace trainyard
