#include "datasets/corpus/abbreviations.h"

#include <string>
#include <unordered_map>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/name_lists.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

using Kinds = std::unordered_map<std::string, Abbreviation>;

/// resources/wiki/abbreviations.json: lower case, without words that often end a sentence in another of the
/// languages.
Kinds readKinds()
{
    Kinds kinds;
    for (const auto& [key, kind] : {std::pair{"sometimes_last", Abbreviation::SometimesLast},
                                    {"never_last", Abbreviation::NeverLast},
                                    {"before_number", Abbreviation::BeforeNumber}}) {
        for (std::string& word : embeddedNames("abbreviations", key))
            kinds.emplace(std::move(word), kind);
    }
    return kinds;
}

bool isLetter(char32_t c)
{
    return letterKinds(c) & letter_kind::kLetter;
}

/// "U.S", "e.g", "т.д": single letters with full stops between them.
bool isLetterSeries(string_view word)
{
    std::size_t letters = 0;
    for (std::size_t at = 0; at < word.size();) {
        const Utf8Char c = decodeUtf8(word, at);
        at += c.bytes;
        if (!isLetter(c.code))
            return false;
        ++letters;
        if (at == word.size())
            break;
        if (word[at] != '.' || ++at == word.size())
            return false;
    }
    return letters >= 2;
}

/// One capital letter. "I" is a word too.
bool isInitial(string_view word)
{
    if (word.empty() || word == "I")
        return false;
    const Utf8Char c = decodeUtf8(word, 0);
    return c.bytes == word.size() && letterKinds(c.code) & letter_kind::kUpper;
}

/// "z" of "z. B.", "κ" of "κ. Νίκος". Cyrillic ones end sentences too often: "в 1799 г."
bool isSmallLetter(string_view word)
{
    if (word.empty())
        return false;
    const Utf8Char c = decodeUtf8(word, 0);
    const bool greek = c.code >= U'α' && c.code <= U'ω';
    return c.bytes == word.size() && ((c.code >= 'a' && c.code <= 'z') || greek);
}

} // namespace

Abbreviation abbreviationKind(string_view word)
{
    constexpr std::size_t kMaxWord = 24; // bytes
    static const Kinds kinds = readKinds();
    if (word.size() > kMaxWord)
        return Abbreviation::None;
    if (isInitial(word))
        return Abbreviation::NeverLast;
    if (const auto found = kinds.find(lowerCase(word)); found != kinds.end())
        return found->second;
    return isLetterSeries(word) || isSmallLetter(word) ? Abbreviation::SometimesLast : Abbreviation::None;
}

} // namespace trainyard
