#include "datasets/corpus/rule_segmenter.h"

#include <algorithm>
#include <cctype>

#include "datasets/corpus/abbreviations.h"
#include "datasets/corpus/letters.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

/// How a character ends sentences.
enum class Terminator {
    None,
    Spaced, ///< with white space behind it, and no small letter behind that
    Alone,  ///< always: marks of scripts that use them for nothing else and often leave no space
};

Terminator terminatorKind(char32_t c)
{
    switch (c) {
    case U'.':
    case U'!':
    case U'?':
    case U'…':
    case U'‼':
    case U'⁇':
    case U'⁈':
    case U'⁉':
    case U'؟': // Arabic
    case U'։': // Armenian
        return Terminator::Spaced;
    case U'。':
    case U'！':
    case U'？':
    case U'．':
    case U'｡':
    case U'।': // Devanagari and its neighbours
    case U'॥':
    case U'۔': // Urdu
    case U'።': // Ethiopic
    case U'፧':
    case U'။': // Myanmar
    case U'។': // Khmer
        return Terminator::Alone;
    default:
        return Terminator::None;
    }
}

/// Quotation marks open in one language and close in another; which it is, shows the space beside it.
bool isQuoteOrBracket(char32_t c)
{
    static constexpr ByteSet ascii("\"'()[]");
    if (c < 0x80)
        return ascii.contains(static_cast<char>(c));
    static constexpr std::u32string_view others = U"“”„‟‘’‚‛«»‹›「」『』（）【】《》〈〉";
    return others.find(c) != std::u32string_view::npos;
}

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// Georgian letters count as small ones in Unicode, but start sentences.
bool isSmallLetter(char32_t c)
{
    const bool georgian = c >= 0x10D0 && c <= 0x10FF;
    return (letterKinds(c) & letter_kind::kLower) && !georgian;
}

/// After all quotation marks and brackets, and terminators too when asked for, at `at`.
std::size_t skipMarks(string_view text, std::size_t at, bool terminators)
{
    while (at < text.size()) {
        const Utf8Char c = decodeUtf8(text, at);
        if (!isQuoteOrBracket(c.code) && !(terminators && terminatorKind(c.code) == Terminator::Spaced))
            break;
        at += c.bytes;
    }
    return at;
}

/// The word that ends at `end`, from the last blank, bracket or quotation mark on.
string_view wordBefore(string_view text, std::size_t end)
{
    static constexpr ByteSet ends(" ([\"'-/");
    std::size_t begin = end;
    while (begin > 0 && !ends.contains(text[begin - 1]))
        --begin;
    while (begin < end) {
        const Utf8Char c = decodeUtf8(text, begin);
        if (c.code < 0x80 || letterKinds(c.code) & (letter_kind::kLetter | letter_kind::kDigit))
            break;
        begin += c.bytes;
    }
    return text.substr(begin, end - begin);
}

string_view firstWord(string_view text)
{
    static constexpr ByteSet ends(" .,;:");
    return text.substr(0, ends.find(text, 0));
}

/// Words that start sentences far more often than they follow an abbreviation inside one.
bool isSentenceStarter(string_view text)
{
    static constexpr string_view starters[]{
        "The",   "A",    "An",    "In",       "It",     "He",      "She",   "They",  "This",
        "These", "That", "Those", "His",      "Her",    "Its",     "Their", "There", "After",
        "At",    "As",   "By",    "For",      "From",   "However", "If",    "On",    "Some",
        "Since", "When", "While", "Although", "During", "Many",    "Most",  "One",   "We"};
    return contains(starters, text.substr(0, text.find(' ')));
}

/// `stop` is the position of the full stop, `next` the text after the white space that follows it.
bool isAbbreviationHere(string_view text, std::size_t stop, string_view next)
{
    switch (abbreviationKind(wordBefore(text, stop))) {
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

bool isShortNumber(string_view text)
{
    return !text.empty() && text.size() <= 3 && std::all_of(text.begin(), text.end(), isDigit);
}

/// "5. Mai" and "19. Jahrhundert" where nouns are written large.
bool isOrdinal(string_view text, std::size_t stop, string_view next)
{
    static constexpr string_view nouns[]{"Januar",  "Jänner",     "Februar",  "März",        "April",
                                         "Mai",     "Juni",       "Juli",     "August",      "September",
                                         "Oktober", "November",   "Dezember", "Jahrhundert", "Jahrhunderts",
                                         "Jh",      "Jahrtausend"};
    return isShortNumber(wordBefore(text, stop)) && contains(nouns, firstWord(next));
}

bool startsSmall(string_view next)
{
    const std::size_t at = skipMarks(next, 0, false);
    return at < next.size() && isSmallLetter(decodeUtf8(next, at).code);
}

/// "« Oui. » Puis": a closing mark after a blank belongs to the sentence. Returns the position after it, or
/// `end`.
std::size_t withFrenchQuote(string_view text, std::size_t end)
{
    constexpr string_view mark = " »";
    const string_view rest = text.substr(end);
    const bool closes = rest.starts_with(mark) && (rest.size() == mark.size() || rest[mark.size()] == ' ');
    return closes ? end + mark.size() : end;
}

/// Returns the end of the sentence with a terminator at `at`, or 0 if it continues.
std::size_t sentenceEnd(string_view text, std::size_t begin, std::size_t at, std::size_t size)
{
    const std::size_t end = withFrenchQuote(text, skipMarks(text, at + size, true));
    if (end == text.size())
        return end;
    if (text[end] != ' ')
        return 0;
    const string_view next = text.substr(end + 1);
    if (next.empty() || startsSmall(next))
        return 0;
    const bool plainStop = text[at] == '.' && end == at + 1;
    if (!plainStop)
        return end;
    const bool enumerates = isShortNumber(text.substr(begin, at - begin)); // "1. Introduction"
    return enumerates || isOrdinal(text, at, next) || isAbbreviationHere(text, at, next) ? 0 : end;
}

/// The first bytes of all terminators.
constexpr ByteSet kFirstBytes(".!?\xD6\xD8\xDB\xE0\xE1\xE2\xE3\xEF");

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
    for (std::size_t at = kFirstBytes.find(paragraph, 0); at < paragraph.size();) {
        const Utf8Char c = decodeUtf8(paragraph, at);
        const Terminator kind = terminatorKind(c.code);
        std::size_t end = 0;
        if (kind == Terminator::Alone)
            end = skipMarks(paragraph, at + c.bytes, true);
        else if (kind == Terminator::Spaced)
            end = sentenceEnd(paragraph, begin, at, c.bytes);
        if (end > 0)
            emit(end);
        at = kFirstBytes.find(paragraph, end > 0 ? begin : at + c.bytes);
    }
    emit(paragraph.size());
    return sentences;
}

} // namespace trainyard
