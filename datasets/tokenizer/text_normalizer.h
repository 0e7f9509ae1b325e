#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/utf8.h"

namespace trainyard {

/// Splits raw text into the words that WordPiece cuts: removes control characters, folds accents and case for
/// uncased models, skips white space, and makes every punctuation mark and ideograph a word. Each code point
/// is looked up in a precomputed table. Immutable; any thread may use it.
class TextNormalizer {
public:
    /// In code points. Longer words become [UNK], as in BERT, so their text is not kept.
    static constexpr std::size_t kMaxWordLength = 100;

    TextNormalizer(const UnicodeTables& tables, bool cased);

    /// Calls word(std::string_view utf8) for every word, with an empty view for one that is too long. The
    /// views are valid until the next call.
    template <typename Word>
    void forEachWord(std::string_view text, Word word) const
    {
        visitWords<NoPlace>(text, [&](std::string_view utf8, NoPlace) { word(utf8); });
    }

    /// The bytes of a text that a word was made from.
    struct WordPlace {
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    /// Calls word(utf8, WordPlace) instead.
    template <typename Word>
    void forEachPlacedWord(std::string_view text, Word word) const
    {
        visitWords<WordPlace>(text, word);
    }

private:
    /// Costs nothing where nobody asks.
    struct NoPlace {
        NoPlace() = default;
        NoPlace(std::size_t, std::size_t) {}
    };
    template <typename Place, typename Word>
    void visitWords(std::string_view text, Word word) const;

    enum class Kind : std::uint8_t { Letter, Space, Removed, RemovedStarter, Alone, Mark, Mapped, Sigma };
    enum class Case : std::uint8_t { Ignored, Cased, None };
    struct Entry {
        Kind kind = Kind::Letter;
        std::uint8_t detail = 0;  ///< mapping: length in code points; mark: combining class
        std::uint16_t target = 0; ///< first code point of a mapping in m_targets
    };
    /// A code point of a mapping's result, with its role in the text.
    struct Target {
        char32_t code;
        Kind kind;
        std::uint8_t combiningClass; ///< of a mark
    };
    /// Result for an ASCII character, which is never more than one other character.
    struct AsciiEntry {
        char text;
        Kind kind;
    };
    class WordBuffer;
    static constexpr std::size_t kAscii = 128;
    static constexpr std::size_t kPageBits = 8;
    static constexpr std::size_t kPageSize = 1u << kPageBits;
    static constexpr std::size_t kPages = 0x110000 >> kPageBits;

    void fillAscii();
    void fillPages(const std::vector<Entry>& flat);
    /// For the capital sigma at text[begin] to text[end - 1].
    char32_t lowerSigma(std::string_view text, std::size_t begin, std::size_t end) const;
    Case caseOf(char32_t code) const;
    const Entry& entry(char32_t code) const
    {
        return m_entries[m_pages[code >> kPageBits] * kPageSize + code % kPageSize];
    }

    std::array<AsciiEntry, kAscii> m_ascii;
    std::vector<std::uint16_t> m_pages; ///< code point >> 8 to a page of m_entries; equal pages are shared
    std::vector<Entry> m_entries;
    std::vector<Target> m_targets;
};

/// The word being read.
class TextNormalizer::WordBuffer {
public:
    bool isEmpty() const { return m_codePoints == 0; }
    std::string_view text() const
    {
        return {m_text.data(),
                m_codePoints <= kMaxWordLength ? static_cast<std::size_t>(m_end - m_text.data()) : 0};
    }
    void put(char ascii)
    {
        if (m_codePoints++ < kMaxWordLength)
            *m_end++ = ascii;
    }
    void put(char32_t code)
    {
        if (m_codePoints++ < kMaxWordLength)
            m_end = encodeUtf8(code, m_end);
    }
    /// Inserts the mark after the last code point that is no mark or has no higher class (Unicode standard,
    /// section 3.11).
    void putMark(char32_t code, std::uint8_t combiningClass);
    /// Later marks do not move past the characters put so far.
    void closeMarks() { m_marksEnd = nullptr; }
    void clear()
    {
        m_end = m_text.data();
        m_codePoints = 0;
        closeMarks();
    }

private:
    struct Mark {
        char32_t code;
        std::uint8_t combiningClass;
    };
    std::array<char, kMaxWordLength * kMaxUtf8Length> m_text;
    char* m_end = m_text.data();
    std::size_t m_codePoints = 0;
    std::array<Mark, kMaxWordLength> m_marks; ///< consecutive marks at the end of the text
    std::size_t m_markCount = 0;
    char* m_marksBegin = nullptr;
    const char* m_marksEnd = nullptr; ///< the marks are at the end only if this equals m_end
};

template <typename Place, typename Word>
void TextNormalizer::visitWords(std::string_view text, Word word) const
{
    WordBuffer buffer;
    Place ofWord;
    const auto flush = [&] {
        if (!buffer.isEmpty())
            word(buffer.text(), ofWord);
        buffer.clear();
    };
    const auto extend = [&]([[maybe_unused]] const Place& place) {
        if constexpr (std::is_same_v<Place, WordPlace>)
            ofWord = {buffer.isEmpty() ? place.begin : ofWord.begin, place.end};
    };
    const auto append = [&](auto character, const Place& place) {
        extend(place);
        buffer.put(character);
    };
    const auto put = [&](auto character, const Place& place, Kind kind, std::uint8_t combiningClass = 0) {
        if (kind == Kind::Letter) {
            append(character, place);
        } else if (kind == Kind::Alone) {
            flush();
            append(character, place);
            flush();
        } else if (kind == Kind::Space) {
            flush();
        } else if (kind == Kind::Mark) {
            extend(place);
            buffer.putMark(static_cast<char32_t>(character), combiningClass);
        } else if (kind == Kind::RemovedStarter) {
            buffer.closeMarks();
        }
    };
    for (std::size_t at = 0; at < text.size();) {
        if (const auto byte = static_cast<unsigned char>(text[at]); byte < kAscii) {
            put(m_ascii[byte].text, Place{at, at + 1}, m_ascii[byte].kind);
            ++at;
            continue;
        }
        const Utf8Char c = decodeUtf8(text, at);
        const Place place{at, at + c.bytes};
        at += c.bytes;
        const Entry& e = entry(c.code);
        if (e.kind == Kind::Mapped) {
            for (const Target& target : std::span(m_targets).subspan(e.target, e.detail))
                put(target.code, place, target.kind, target.combiningClass);
        } else if (e.kind == Kind::Sigma) {
            put(lowerSigma(text, at - c.bytes, at), place, Kind::Letter);
        } else {
            put(c.code, place, e.kind, e.detail);
        }
    }
    flush();
}

} // namespace trainyard
