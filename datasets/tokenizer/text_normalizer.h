#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/unicode_tables.h"
#include "engine/base/utf8.h"

namespace trainyard {

/// Splits raw text into the words that WordPiece cuts: control characters removed, accents and case folded
/// for uncased models, white space skipped, every punctuation mark and ideograph a word of its own. Every
/// code point's fate is looked up in a table made once. Accents that stay (of few scripts) keep their order,
/// where Unicode would sort some. Immutable; any thread may use it.
class TextNormalizer {
public:
    TextNormalizer(const UnicodeTables& tables, bool cased);

    /// Calls word(std::string_view utf8, std::size_t codePoints) for every word. `scratch` is the caller's to
    /// reuse from call to call; the views point into it.
    template <typename Word>
    void forEachWord(std::string_view text, std::string& scratch, Word word) const;

private:
    enum class Kind : std::uint8_t { Letter, Space, Removed, Alone, Mapped, Sigma };
    enum class Case : std::uint8_t { Ignored, Cased, None };
    struct Entry {
        Kind kind = Kind::Letter;
        std::uint8_t length = 0;  ///< of a mapping, in code points
        std::uint16_t target = 0; ///< first code point of a mapping in m_targets
    };
    /// A code point of a mapping's result, with what it does in the text.
    struct Target {
        char32_t code;
        Kind kind;
    };
    static constexpr std::size_t kPageBits = 8;
    static constexpr std::size_t kPageSize = 1u << kPageBits;
    static constexpr std::size_t kPages = 0x110000 >> kPageBits;

    void fillPages(const std::vector<Entry>& flat);
    /// For the capital sigma at text[begin] to text[end - 1].
    char32_t lowerSigma(std::string_view text, std::size_t begin, std::size_t end) const;
    Case caseOf(char32_t code) const;
    const Entry& entry(char32_t code) const
    {
        return m_entries[m_pages[code >> kPageBits] * kPageSize + code % kPageSize];
    }

    std::vector<std::uint16_t> m_pages; ///< code point >> 8 to a page of m_entries; equal pages are shared
    std::vector<Entry> m_entries;
    std::vector<Target> m_targets;
    std::span<const CodePointRange> m_cased;
    std::span<const CodePointRange> m_caseIgnorable;
};

template <typename Word>
void TextNormalizer::forEachWord(std::string_view text, std::string& scratch, Word word) const
{
    scratch.clear();
    std::size_t length = 0;
    const auto flush = [&] {
        if (length > 0)
            word(std::string_view(scratch), length);
        scratch.clear();
        length = 0;
    };
    const auto put = [&](char32_t code, Kind kind) {
        if (kind == Kind::Space || kind == Kind::Alone)
            flush();
        if (kind == Kind::Space || kind == Kind::Removed)
            return;
        appendUtf8(scratch, code);
        ++length;
        if (kind == Kind::Alone)
            flush();
    };
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        at += c.bytes;
        const Entry& e = entry(c.code);
        if (e.kind == Kind::Mapped) {
            for (std::size_t i = 0; i < e.length; ++i)
                put(m_targets[e.target + i].code, m_targets[e.target + i].kind);
        } else if (e.kind == Kind::Sigma) {
            put(lowerSigma(text, at - c.bytes, at), Kind::Letter);
        } else {
            put(c.code, e.kind);
        }
    }
    flush();
}

} // namespace trainyard
