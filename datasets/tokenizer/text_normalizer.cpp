#include "datasets/tokenizer/text_normalizer.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <unordered_map>

#include "datasets/corpus/code_points.h"
#include "datasets/corpus/letters.h"
#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr char32_t kCodePoints = 0x110000;
constexpr char32_t kCapitalSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

using Mappings = std::unordered_map<char32_t, std::u32string>;

/// Canonical decomposition of the Hangul syllables (Unicode standard, section 3.12).
void addHangul(Mappings& out)
{
    constexpr char32_t kFirst = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTail = 0x11A7;
    constexpr char32_t kVowelsTimesTails = 588, kTails = 28, kSyllables = 11172;
    for (char32_t i = 0; i < kSyllables; ++i) {
        std::u32string jamo{kLead + i / kVowelsTimesTails, kVowel + i % kVowelsTimesTails / kTails};
        if (i % kTails != 0)
            jamo += kTail + i % kTails;
        out.emplace(kFirst + i, jamo);
    }
}

/// Calls apply(code) for each code point of the text.
template <typename Apply>
void forEachCode(CodePointText text, Apply apply)
{
    for (const auto& [first, last, step] : codePoints(text)) {
        for (char32_t code = first; code <= last; code += step)
            apply(code);
    }
}

/// Reads "C0: 61 61 C8: 65".
void addSingle(std::string_view text, Mappings& out)
{
    char32_t code = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        std::uint32_t value = 0;
        std::from_chars(text.data() + at, text.data() + end, value, 16);
        if (text[end - 1] == ':')
            code = value;
        else
            out[code++] = static_cast<char32_t>(value);
        at = end + 1;
    }
}

void addFolding(const CaseFolding& folding, Mappings& out)
{
    if (folding.base)
        addFolding(*folding.base, out);
    forEachCode(folding.unfolded, [&](char32_t code) { out.erase(code); });
    forEachCode(folding.removed, [&](char32_t code) { out[code].clear(); });
    addSingle(folding.toOne, out);
    for (const auto& [code, result] : folding.toMany)
        out[code] = result;
}

Mappings foldings(const UnicodeTables& tables)
{
    Mappings out;
    addFolding(tables.folding, out);
    addHangul(out);
    return out;
}

/// The code point that ends just before text[end].
Utf8Char characterBefore(std::string_view text, std::size_t end)
{
    text = text.substr(0, end);
    for (std::size_t bytes = std::min<std::size_t>(4, end); bytes > 1; --bytes) {
        if (const Utf8Char c = decodeUtf8(text, end - bytes); c.bytes == bytes)
            return c;
    }
    return decodeUtf8(text, end - 1);
}

} // namespace

TextNormalizer::TextNormalizer(const UnicodeTables& tables, bool cased)
{
    std::vector<Entry> flat(kCodePoints);
    const auto mark = [&](CodePointText text, Kind kind) {
        forEachCode(text, [&](char32_t code) { flat[code] = Entry{kind, 0, 0}; });
    };
    // Later marks win: what is removed first never reaches the splitting at white space.
    mark(tables.punctuation, Kind::Alone);
    mark(tables.ideographs, Kind::Alone);
    mark(tables.whiteSpace, Kind::Space);
    mark(tables.removed, Kind::Removed);
    mark(tables.toSpace, Kind::Space);
    if (!cased) {
        for (const auto& [code, combiningClass] : tables.marks) {
            if (flat[code].kind == Kind::Letter)
                flat[code] = {Kind::Mark, combiningClass, 0};
        }
        const std::vector<Entry> before = flat;
        std::map<std::u32string, std::uint16_t> seen; // many code points fold to the same text
        for (const auto& [code, text] : foldings(tables)) {
            if (before[code].kind == Kind::Removed || before[code].kind == Kind::Space)
                continue;
            const auto [place, isNew] = seen.emplace(text, static_cast<std::uint16_t>(m_targets.size()));
            if (isNew) {
                for (const char32_t c : text)
                    m_targets.push_back({c, before[c].kind, before[c].detail});
            }
            flat[code] = {Kind::Mapped, static_cast<std::uint8_t>(text.size()), place->second};
        }
        mark(tables.removedStarters, Kind::RemovedStarter);
        TRAINYARD_CHECK(m_targets.size() <= 0xFFFF);
        if (tables.finalSigma)
            flat[kCapitalSigma] = {Kind::Sigma, 0, 0};
    }
    fillPages(flat);
    fillAscii();
}

void TextNormalizer::WordBuffer::putMark(char32_t code, std::uint8_t combiningClass)
{
    if (m_codePoints++ >= kMaxWordLength)
        return;
    if (m_marksEnd != m_end) {
        m_marksBegin = m_end;
        m_markCount = 0;
    }
    std::size_t place = m_markCount++;
    for (; place > 0 && m_marks[place - 1].combiningClass > combiningClass; --place)
        m_marks[place] = m_marks[place - 1];
    m_marks[place] = {code, combiningClass};
    m_end = m_marksBegin;
    for (const Mark& each : std::span(m_marks).first(m_markCount))
        m_end = encodeUtf8(each.code, m_end);
    m_marksEnd = m_end;
}

void TextNormalizer::fillAscii()
{
    for (std::size_t code = 0; code < kAscii; ++code) {
        const Entry& e = entry(static_cast<char32_t>(code));
        const bool isMapped = e.kind == Kind::Mapped;
        TRAINYARD_CHECK(!isMapped || (e.detail == 1 && m_targets[e.target].code < kAscii));
        m_ascii[code] =
            isMapped ? AsciiEntry{static_cast<char>(m_targets[e.target].code), m_targets[e.target].kind}
                     : AsciiEntry{static_cast<char>(code), e.kind};
    }
}

void TextNormalizer::fillPages(const std::vector<Entry>& flat)
{
    std::map<std::string_view, std::uint16_t> known;
    m_pages.resize(kPages);
    for (std::size_t page = 0; page < kPages; ++page) {
        const Entry* begin = flat.data() + page * kPageSize;
        const std::string_view bytes(reinterpret_cast<const char*>(begin), kPageSize * sizeof(Entry));
        const auto [place, isNew] = known.emplace(bytes, static_cast<std::uint16_t>(known.size()));
        if (isNew)
            m_entries.insert(m_entries.end(), begin, begin + kPageSize);
        m_pages[page] = place->second;
    }
}

TextNormalizer::Case TextNormalizer::caseOf(char32_t code) const
{
    const std::uint8_t kinds = letterKinds(code);
    if (entry(code).kind == Kind::Removed || kinds & letter_kind::kCaseIgnorable)
        return Case::Ignored;
    return kinds & letter_kind::kCased ? Case::Cased : Case::None;
}

/// Unicode standard, section 3.13, as Python's str.lower() does it.
char32_t TextNormalizer::lowerSigma(std::string_view text, std::size_t begin, std::size_t end) const
{
    Case before = Case::Ignored;
    for (std::size_t at = begin; at > 0 && before == Case::Ignored;) {
        const Utf8Char c = characterBefore(text, at);
        before = caseOf(c.code);
        at -= c.bytes;
    }
    Case after = Case::Ignored;
    for (std::size_t at = end; at < text.size() && after == Case::Ignored;) {
        const Utf8Char c = decodeUtf8(text, at);
        after = caseOf(c.code);
        at += c.bytes;
    }
    return before == Case::Cased && after != Case::Cased ? kFinalSigma : kSmallSigma;
}

} // namespace trainyard
