#include "datasets/corpus/punkt_segmenter.h"

#include <algorithm>
#include <optional>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/punkt_words.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

/// A character that may end a sentence, with the words before and after it, which decide about it.
struct Candidate {
    std::size_t wordBegin; ///< of the word that it ends
    std::size_t at;
    std::size_t next;       ///< where the next sentence would begin
    std::size_t contextEnd; ///< behind the punctuation or the word that follows
};

/// A word with its annotations of the first pass, from its type alone (section 3).
struct Word {
    explicit Word(string_view word, const PunktParameters& parameters) : text(word)
    {
        if (text == "." || text == "?" || text == "!") {
            sentenceBreak = true;
        } else if (isPunktEllipsis(text)) {
            ellipsis = true;
        } else if (text.ends_with('.') && !text.ends_with("..")) {
            const std::string lower = lowerCase(text.substr(0, text.size() - 1));
            const string_view behindHyphen = string_view(lower).substr(lower.rfind('-') + 1);
            abbreviation = parameters.isAbbreviation(lower) || parameters.isAbbreviation(behindHyphen);
            sentenceBreak = !abbreviation;
        }
    }

    std::string typeWithoutPeriod() const
    {
        std::string type = punktType(text);
        if (type.size() > 1 && type.back() == '.')
            type.pop_back();
        return type;
    }
    /// Removes the full stop if it ends a sentence.
    std::string typeWithoutSentencePeriod() const
    {
        return sentenceBreak ? typeWithoutPeriod() : punktType(text);
    }
    bool startsWith(std::uint8_t kind) const { return letterKinds(decodeUtf8(text, 0).code) & kind; }

    string_view text;
    bool sentenceBreak = false;
    bool abbreviation = false;
    bool ellipsis = false;
};

enum class Starts { Yes, No, Unknown };

/// The orthographic heuristic (section 4.1.1): whether the word starts a sentence.
Starts startsSentence(const Word& word, std::uint8_t context)
{
    static constexpr string_view punctuation[]{";", ":", ",", ".", "!", "?"};
    if (contains(punctuation, word.text))
        return Starts::No;
    if (word.startsWith(letter_kind::kUpper) && (context & ortho_context::kLower) &&
        !(context & ortho_context::kInternalUpper))
        return Starts::Yes;
    if (word.startsWith(letter_kind::kLower) &&
        ((context & ortho_context::kUpper) || !(context & ortho_context::kInitialLower)))
        return Starts::No;
    return Starts::Unknown;
}

/// The second pass (section 4): returns whether a sentence ends after `word` if `next` follows.
bool endsSentence(const Word& word, const Word& next, const PunktParameters& parameters)
{
    if (!word.text.ends_with('.'))
        return word.sentenceBreak;
    const std::string type = word.typeWithoutPeriod();
    const std::string nextType = next.typeWithoutSentencePeriod();
    if (parameters.areCollocation(type, nextType))
        return false;
    const bool initial = isPunktInitial(word.text);
    const std::uint8_t context = parameters.orthoContext(nextType);
    const Starts starts = startsSentence(next, context);
    const bool upper = next.startsWith(letter_kind::kUpper);
    if ((word.abbreviation || word.ellipsis) && !initial) {
        if (starts == Starts::Yes || (upper && parameters.isStarter(nextType)))
            return true;
    }
    if (initial || type == "##number##") {
        if (starts == Starts::No)
            return false;
        if (starts == Starts::Unknown && initial && upper && !(context & ortho_context::kLower))
            return false;
    }
    return word.sentenceBreak;
}

bool holdsSentenceEnd(string_view context, const PunktParameters& parameters)
{
    const std::vector<string_view> words = punktWords(context);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        if (endsSentence(Word(words[i], parameters), Word(words[i + 1], parameters), parameters))
            return true;
    }
    return false;
}

bool isSpace(char32_t c)
{
    return letterKinds(c) & letter_kind::kSpace;
}

/// After the spaces, or after the word, at `at`.
std::size_t skip(string_view text, std::size_t at, bool spaces)
{
    while (at < text.size()) {
        const Utf8Char c = decodeUtf8(text, at);
        if (isSpace(c.code) != spaces)
            break;
        at += c.bytes;
    }
    return at;
}

/// The ".", "?" or "!" at `at` as a candidate, when punctuation follows, or white space and a word.
std::optional<Candidate> candidateAt(string_view text, std::size_t at)
{
    if (at + 1 == text.size())
        return std::nullopt;
    const Utf8Char c = decodeUtf8(text, at + 1);
    if (isPunktNonWord(c.code))
        return Candidate{0, at, at + 1, at + 1 + c.bytes};
    const std::size_t next = skip(text, at + 1, true);
    if (next == at + 1 || next == text.size())
        return std::nullopt;
    return Candidate{0, at, next, skip(text, next, false)};
}

/// Of several candidates with no blank between them the last one stays, with the first one's word.
class CandidateFinder {
public:
    explicit CandidateFinder(string_view text) : m_text(text) {}

    /// Calls visit(candidate) in order.
    template <typename Visit>
    void forEach(Visit visit)
    {
        static constexpr ByteSet ends(".?!");
        for (std::size_t at = ends.find(m_text, 0); at < m_text.size(); at = ends.find(m_text, at + 1)) {
            auto candidate = candidateAt(m_text, at);
            if (!candidate)
                continue;
            candidate->wordBegin = wordBegin(at);
            if (m_last && m_last->at <= candidate->wordBegin)
                visit(*m_last);
            m_last = candidate;
        }
        if (m_last)
            visit(*m_last);
    }

private:
    /// After the last blank since the last candidate, or where that one's word starts.
    std::size_t wordBegin(std::size_t at) const
    {
        static constexpr ByteSet blanks(" \t\n\r\v\f");
        const std::size_t since = m_last ? m_last->at : 0;
        for (std::size_t i = at; i > since + 1; --i) {
            if (blanks.contains(m_text[i - 1]))
                return i;
        }
        return m_last ? m_last->wordBegin : 0;
    }

    string_view m_text;
    std::optional<Candidate> m_last;
};

struct Slice {
    std::size_t begin;
    std::size_t end; ///< may lie before begin: nothing
};

std::size_t withoutTrailingSpace(string_view text)
{
    while (!text.empty()) {
        std::size_t last = text.size() - 1;
        while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80)
            --last;
        if (!(letterKinds(decodeUtf8(text, last).code) & letter_kind::kStripped))
            break;
        text = text.substr(0, last);
    }
    return text.size();
}

std::vector<Slice> slicesOf(string_view text, const PunktParameters& parameters)
{
    std::vector<Slice> slices;
    std::size_t begin = 0;
    CandidateFinder(text).forEach([&](const Candidate& candidate) {
        const string_view context =
            text.substr(candidate.wordBegin, candidate.contextEnd - candidate.wordBegin);
        if (!holdsSentenceEnd(context, parameters))
            return;
        slices.push_back({begin, candidate.at + 1});
        begin = candidate.next;
    });
    slices.push_back({begin, withoutTrailingSpace(text)});
    return slices;
}

bool isCloser(char32_t c)
{
    static constexpr ByteSet ascii("\"')]}");
    if (c < 0x80)
        return ascii.contains(static_cast<char>(c));
    return c == U'‘' || c == U'’' || c == U'“' || c == U'”' || c == U'«' || c == U'»';
}

/// Closing punctuation at the start of a sentence, and the end of it.
struct Closers {
    std::size_t end = 0;   ///< behind the punctuation; 0 = there is none
    std::size_t after = 0; ///< behind the white space too
};

/// ["')\]}‘’“”«»]+?(?:\s+|(?=--)|$) at the start of a sentence: such punctuation belongs to the sentence
/// before.
Closers closersOf(string_view sentence)
{
    std::size_t end = 0;
    while (end < sentence.size()) {
        const Utf8Char c = decodeUtf8(sentence, end);
        if (!isCloser(c.code))
            break;
        end += c.bytes;
    }
    const std::size_t after = skip(sentence, end, true);
    const bool ends = end == sentence.size() || after > end || sentence.substr(end).starts_with("--");
    return end > 0 && ends ? Closers{end, after} : Closers();
}

string_view sliceOf(string_view text, Slice slice)
{
    return slice.end > slice.begin ? text.substr(slice.begin, slice.end - slice.begin) : string_view();
}

} // namespace

std::vector<string_view> PunktSegmenter::split(string_view paragraph) const
{
    const std::vector<Slice> slices = slicesOf(paragraph, m_parameters);
    std::vector<string_view> sentences;
    std::size_t realigned = 0; // bytes of this slice that went to the one before
    for (std::size_t i = 0; i < slices.size(); ++i) {
        Slice slice{slices[i].begin + realigned, slices[i].end};
        const Closers closers =
            i + 1 < slices.size() ? closersOf(sliceOf(paragraph, slices[i + 1])) : Closers();
        realigned = closers.after;
        if (closers.end > 0)
            slice.end = slices[i + 1].begin + closers.end;
        if (const string_view sentence = sliceOf(paragraph, slice); !sentence.empty())
            sentences.push_back(sentence);
    }
    return sentences;
}

} // namespace trainyard
