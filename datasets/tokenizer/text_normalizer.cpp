#include "datasets/tokenizer/text_normalizer.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr char32_t kCodePoints = 0x110000;

using Mappings = std::unordered_map<char32_t, std::u32string>;

std::u32string decoded(std::string_view text)
{
    std::u32string out;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        out += c.code;
        at += c.bytes;
    }
    return out;
}

Mappings mappings(std::span<const CodePointMapping> items)
{
    Mappings out;
    for (const CodePointMapping& item : items)
        out.emplace(item.code, decoded(item.text));
    return out;
}

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

/// Accents first, then case, as BertNormalizer does.
Mappings uncasedMappings(const UnicodeTables& tables)
{
    Mappings stripped = mappings(tables.withoutAccents);
    addHangul(stripped);
    const Mappings lower = mappings(tables.lowerCase);
    Mappings out = lower;
    for (const auto& [code, text] : stripped) {
        std::u32string folded;
        for (const char32_t c : text) {
            const auto found = lower.find(c);
            folded += found == lower.end() ? std::u32string(1, c) : found->second;
        }
        out[code] = folded;
    }
    return out;
}

} // namespace

TextNormalizer::TextNormalizer(const UnicodeTables& tables, bool cased)
{
    std::vector<Entry> flat(kCodePoints);
    const auto mark = [&](std::span<const CodePointRange> ranges, Kind kind) {
        for (const auto& [first, last] : ranges)
            std::fill(flat.begin() + first, flat.begin() + last + 1, Entry{kind, 0, 0});
    };
    // Later marks win: what is removed first never reaches the splitting at white space.
    mark(tables.punctuation, Kind::Alone);
    mark(tables.ideographs, Kind::Alone);
    mark(tables.whiteSpace, Kind::Space);
    mark(tables.removed, Kind::Removed);
    mark(tables.toSpace, Kind::Space);
    if (!cased) {
        const std::vector<Entry> before = flat;
        std::map<std::u32string, std::uint16_t> seen; // many code points fold to the same text
        for (const auto& [code, text] : uncasedMappings(tables)) {
            if (before[code].kind == Kind::Removed || before[code].kind == Kind::Space)
                continue;
            const auto [place, isNew] = seen.emplace(text, static_cast<std::uint16_t>(m_targets.size()));
            if (isNew) {
                for (const char32_t c : text)
                    m_targets.push_back({c, before[c].kind});
            }
            flat[code] = {Kind::Mapped, static_cast<std::uint8_t>(text.size()), place->second};
        }
        TRAINYARD_CHECK(m_targets.size() <= 0xFFFF);
    }
    fillPages(flat);
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

} // namespace trainyard
