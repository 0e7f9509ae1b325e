#include "datasets/corpus/rule_segmenter.h"

#include <algorithm>
#include <cctype>

#include "datasets/corpus/abbreviations.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Lower-case letters of the scripts that have case, close enough for the start of a sentence.
bool isLowerCase(char32_t c)
{
    if (c < 0x80)
        return c >= 'a' && c <= 'z';
    const bool latin1 = c >= 0xDF && c <= 0xFF && c != 0xF7;
    const bool latinExtended = c >= 0x100 && c <= 0x17F && (c % 2 == 1) != (c >= 0x139 && c <= 0x148);
    const bool greek = c >= 0x3AC && c <= 0x3CE;
    const bool cyrillic = c >= 0x430 && c <= 0x45F;
    return latin1 || latinExtended || greek || cyrillic;
}

bool isAnyOf(string_view text, std::size_t at, std::initializer_list<string_view> marks, std::size_t& size)
{
    for (const string_view mark : marks) {
        if (text.substr(at).starts_with(mark)) {
            size = mark.size();
            return true;
        }
    }
    return false;
}

bool isTerminator(string_view text, std::size_t at, std::size_t& size)
{
    return isAnyOf(text, at, {".", "!", "?", "…"}, size);
}
bool isIdeographicTerminator(string_view text, std::size_t at, std::size_t& size)
{
    return isAnyOf(text, at, {"。", "！", "？", "।"}, size);
}
bool isCloser(string_view text, std::size_t at, std::size_t& size)
{
    return isAnyOf(text, at, {"\"", "'", ")", "]", "”", "’", "»", "」"}, size);
}
bool isOpener(string_view text, std::size_t at, std::size_t& size)
{
    return isAnyOf(text, at, {"\"", "'", "(", "[", "“", "‘", "«", "„"}, size);
}

/// The word that ends at `end`, from the last blank or bracket on.
string_view wordBefore(string_view text, std::size_t end)
{
    const auto begin = text.find_last_of(" ([\"'-/", end == 0 ? 0 : end - 1);
    return begin == string_view::npos || begin >= end ? text.substr(0, end)
                                                      : text.substr(begin + 1, end - begin - 1);
}

/// Words that start sentences far more often than they follow an abbreviation inside one.
bool isSentenceStarter(string_view text)
{
    static constexpr string_view starters[]{
        "The",   "A",    "An",    "In",       "It",     "He",      "She",   "They",  "This",
        "These", "That", "Those", "His",      "Her",    "Its",     "Their", "There", "After",
        "At",    "As",   "By",    "For",      "From",   "However", "If",    "On",    "Some",
        "Since", "When", "While", "Although", "During", "Many",    "Most",  "One",   "We"};
    const string_view word = text.substr(0, text.find(' '));
    return contains(starters, word);
}

/// `stop` is the position of the full stop, `next` what follows the white space behind it.
bool isAbbreviationHere(string_view text, std::size_t stop, string_view next)
{
    const string_view word = wordBefore(text, stop);
    switch (abbreviationKind(word)) {
    case Abbreviation::None:
        return false;
    case Abbreviation::NeverLast:
        return true;
    case Abbreviation::BeforeNumber:
        return isDigit(next.front()) || next.starts_with('#');
    case Abbreviation::SometimesLast:
        break;
    }
    return !isSentenceStarter(next);
}

/// "1. Introduction": the number at the very start of a sentence.
bool isEnumeration(string_view text, std::size_t begin, std::size_t stop)
{
    const string_view head = text.substr(begin, stop - begin);
    return head.size() <= 3 && !head.empty() && std::all_of(head.begin(), head.end(), isDigit);
}

bool startsLowerCase(string_view next)
{
    std::size_t at = 0;
    for (std::size_t size = 0; at < next.size() && isOpener(next, at, size);)
        at += size;
    return at < next.size() && isLowerCase(decodeUtf8(next, at).code);
}

/// Where the sentence that has a terminator at `at` ends, or 0 when it goes on.
std::size_t sentenceEnd(string_view text, std::size_t begin, std::size_t at, std::size_t size)
{
    const std::size_t stop = at;
    std::size_t end = at + size;
    for (std::size_t more = 0;
         end < text.size() && (isTerminator(text, end, more) || isCloser(text, end, more));)
        end += more;
    if (end == text.size())
        return end;
    if (text[end] != ' ')
        return 0;
    const string_view next = text.substr(end + 1);
    if (next.empty() || startsLowerCase(next))
        return 0;
    const bool plainStop = text[stop] == '.' && end == stop + 1;
    if (plainStop && (isEnumeration(text, begin, stop) || isAbbreviationHere(text, stop, next)))
        return 0;
    return end;
}

std::size_t ideographicEnd(string_view text, std::size_t end)
{
    for (std::size_t size = 0; end < text.size() && isCloser(text, end, size);)
        end += size;
    return end;
}

} // namespace

std::vector<string_view> splitSentences(string_view paragraph)
{
    std::vector<string_view> sentences;
    std::size_t begin = 0;
    const auto emit = [&](std::size_t end) {
        if (const string_view sentence = trimmed(paragraph.substr(begin, end - begin)); !sentence.empty())
            sentences.push_back(sentence);
        begin = end;
        while (begin < paragraph.size() && paragraph[begin] == ' ')
            ++begin;
    };
    for (std::size_t at = 0; at < paragraph.size();) {
        std::size_t size = 0;
        std::size_t end = 0;
        if (isIdeographicTerminator(paragraph, at, size))
            end = ideographicEnd(paragraph, at + size);
        else if (isTerminator(paragraph, at, size))
            end = sentenceEnd(paragraph, begin, at, size);
        if (end > 0)
            emit(end);
        at = std::max(end > 0 ? begin : at + 1, at + 1);
    }
    emit(paragraph.size());
    return sentences;
}

} // namespace trainyard
