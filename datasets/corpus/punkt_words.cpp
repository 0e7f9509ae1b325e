#include "datasets/corpus/punkt_words.h"

#include <algorithm>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

bool isSpace(char32_t c)
{
    return letterKinds(c) & letter_kind::kSpace;
}

/// The size of the space at `at`; 0 if there is none.
std::size_t spaceSize(string_view text, std::size_t at)
{
    if (at >= text.size())
        return 0;
    const Utf8Char c = decodeUtf8(text, at);
    return isSpace(c.code) ? c.bytes : 0;
}

std::size_t runEnd(string_view text, std::size_t at, char c)
{
    return std::min(text.find_first_not_of(c, at), text.size());
}

/// The end of ". . ." at `at`: (?:\.\s){2,}\. ; 0 if there is none.
std::size_t spacedEllipsisEnd(string_view text, std::size_t at)
{
    std::size_t stops = 0;
    for (std::size_t end = at;;) {
        if (end >= text.size() || text[end] != '.')
            return stops >= 3 ? at : 0;
        ++stops;
        at = end + 1; // after the last stop
        const std::size_t space = spaceSize(text, at);
        if (space == 0)
            return stops >= 3 ? at : 0;
        end = at + space;
    }
}

/// The end of a dash of hyphens or an ellipsis at `at`; 0 if there is none.
std::size_t multiCharacterEnd(string_view text, std::size_t at)
{
    const char c = text[at];
    if (c != '-' && c != '.')
        return 0;
    if (const std::size_t end = runEnd(text, at, c); end >= at + 2)
        return end;
    return c == '.' ? spacedEllipsisEnd(text, at) : 0;
}

/// What a word cannot start with.
bool isNoStart(char32_t c)
{
    static constexpr ByteSet excluded("(\"`{[:;&#*@)}]-,");
    return c < 0x80 && excluded.contains(static_cast<char>(c));
}

bool endsWordAlways(string_view text, std::size_t at)
{
    if (at >= text.size())
        return true;
    const char32_t c = decodeUtf8(text, at).code;
    return isSpace(c) || isPunktNonWord(c) || multiCharacterEnd(text, at) != 0;
}

/// A comma ends a word where something else ends it after the comma.
bool endsWord(string_view text, std::size_t at)
{
    return endsWordAlways(text, at) || (text[at] == ',' && endsWordAlways(text, at + 1));
}

std::size_t wordEnd(string_view line, std::size_t at)
{
    if (const std::size_t end = multiCharacterEnd(line, at))
        return end;
    const Utf8Char first = decodeUtf8(line, at);
    std::size_t end = at + first.bytes;
    if (isNoStart(first.code))
        return end;
    while (!endsWord(line, end))
        end += decodeUtf8(line, end).bytes;
    return end;
}

bool isStripped(string_view line)
{
    for (std::size_t at = 0; at < line.size();) {
        const Utf8Char c = decodeUtf8(line, at);
        if (!(letterKinds(c.code) & letter_kind::kStripped))
            return false;
        at += c.bytes;
    }
    return true;
}

void addWordsOfLine(string_view line, std::vector<string_view>& words)
{
    if (isStripped(line))
        return;
    for (std::size_t at = 0; at < line.size();) {
        if (const std::size_t space = spaceSize(line, at)) {
            at += space;
            continue;
        }
        const std::size_t end = wordEnd(line, at);
        words.push_back(line.substr(at, end - at));
        at = end;
    }
}

bool isDigit(char32_t c)
{
    return letterKinds(c) & letter_kind::kDigit;
}

/// ^-?[\.,]?\d[\d,\.-]*\.?$
bool isNumber(string_view word)
{
    std::size_t at = word.starts_with('-') ? 1 : 0;
    if (at < word.size() && (word[at] == '.' || word[at] == ','))
        ++at;
    if (at >= word.size() || !isDigit(decodeUtf8(word, at).code))
        return false;
    while (at < word.size()) {
        const Utf8Char c = decodeUtf8(word, at);
        if (!isDigit(c.code) && c.code != ',' && c.code != '.' && c.code != '-')
            return false;
        at += c.bytes;
    }
    return true;
}

} // namespace

bool isPunktNonWord(char32_t c)
{
    static constexpr ByteSet ascii(")\";}]*:@'({[?!");
    if (c < 0x80)
        return ascii.contains(static_cast<char>(c));
    return c == U'‘' || c == U'’' || c == U'“' || c == U'”' || c == U'«' || c == U'»';
}

std::vector<string_view> punktWords(string_view text)
{
    std::vector<string_view> words;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        addWordsOfLine(text.substr(begin, end - begin), words);
        begin = end + 1;
    }
    return words;
}

std::string punktType(string_view word)
{
    return isNumber(word) ? "##number##" : lowerCase(word);
}

bool isPunktInitial(string_view word)
{
    if (!word.ends_with('.') || word.size() < 2)
        return false;
    const Utf8Char c = decodeUtf8(word, 0);
    return c.bytes + 1 == word.size() && letterKinds(c.code) & letter_kind::kLetter;
}

bool isPunktEllipsis(string_view word)
{
    return word.size() >= 2 && word.find_first_not_of('.') == string_view::npos;
}

} // namespace trainyard
