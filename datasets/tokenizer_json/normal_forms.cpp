#include "datasets/tokenizer_json/normal_forms.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "datasets/corpus/code_points.h"
#include "datasets/tokenizer_json/property_tables.h"
#include "engine/base/check.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using Mapping = std::unordered_map<char32_t, std::u32string>;

constexpr std::size_t kCodePoints = 0x110000;

constexpr bool isIn(char32_t code, char32_t first, char32_t count)
{
    return code >= first && code < first + count;
}

/// Unicode standard, section 3.12: syllables are computed from their two or three letters.
namespace hangul {

constexpr char32_t kFirst = 0xAC00, kLead = 0x1100, kVowel = 0x1161, kTrail = 0x11A7;
constexpr char32_t kLeads = 19, kVowels = 21, kTrails = 28;
constexpr char32_t kCount = kLeads * kVowels * kTrails;

void decompose(char32_t syllable, std::u32string& out)
{
    const char32_t index = syllable - kFirst;
    out += kLead + index / (kVowels * kTrails);
    out += kVowel + index / kTrails % kVowels;
    if (index % kTrails != 0)
        out += kTrail + index % kTrails;
}

/// 0 if there is none.
char32_t compose(char32_t first, char32_t second)
{
    if (isIn(first, kLead, kLeads) && isIn(second, kVowel, kVowels))
        return kFirst + ((first - kLead) * kVowels + (second - kVowel)) * kTrails;
    if (isIn(first, kFirst, kCount) && (first - kFirst) % kTrails == 0 &&
        isIn(second, kTrail + 1, kTrails - 1))
        return first + (second - kTrail);
    return 0;
}

} // namespace hangul

/// Reads "C0: 41.300 41.301 C7: 43.327".
Mapping mappingOf(std::string_view table)
{
    Mapping mapping;
    char32_t next = 0;
    std::u32string result;
    const char* const end = table.data() + table.size();
    for (const char* at = table.data(); at < end; ++at) {
        std::uint32_t value = 0;
        const auto [after, error] = std::from_chars(at, end, value, 16);
        TRAINYARD_CHECK(error == std::errc() && after < end);
        at = after;
        if (*at == ':') {
            next = value;
            ++at;
            continue;
        }
        result += static_cast<char32_t>(value);
        if (*at == ' ')
            mapping.emplace(next++, std::exchange(result, {}));
    }
    return mapping;
}

class Tables {
public:
    Tables()
        : m_canonical(mappingOf(normalFormTables().canonical))
        , m_compatible(mappingOf(normalFormTables().compatible))
        , m_lower(mappingOf(normalFormTables().lowerCase))
        , m_unstable(kCodePoints)
    {
        for (const CombiningClassTable& table : normalFormTables().classes) {
            for (const CodePointRange& range : codePoints(table.members)) {
                for (char32_t code = range.first; code <= range.last; ++code)
                    m_classes.emplace(code, table.combiningClass);
            }
        }
        fillCompositions();
        fillUnstable();
    }

    std::uint8_t combiningClass(char32_t code) const
    {
        const auto found = code < kFirstMark ? m_classes.end() : m_classes.find(code);
        return found == m_classes.end() ? 0 : found->second;
    }

    const std::u32string* lowerOf(char32_t code) const { return resultIn(m_lower, code); }

    void decompose(char32_t code, bool compatible, std::u32string& out) const
    {
        const std::u32string* result = compatible ? resultIn(m_compatible, code) : nullptr;
        if (!result)
            result = resultIn(m_canonical, code);
        if (result)
            out += *result;
        else if (isIn(code, hangul::kFirst, hangul::kCount))
            hangul::decompose(code, out);
        else
            out += code;
    }

    /// 0 if there is none.
    char32_t compose(char32_t first, char32_t second) const
    {
        const auto found = m_compositions.find(pairOf(first, second));
        return found != m_compositions.end() ? found->second : hangul::compose(first, second);
    }

    /// Text may be cut in front of it without a difference: it stays as it is, and joins nothing before it.
    bool isStable(char32_t code, NormalForm form) const { return !(m_unstable[code] & flagOf(form)); }

private:
    static constexpr char32_t kFirstMark = 0x300;
    static constexpr std::uint8_t kDecomposing = 1u << int(NormalForm::Nfd) | 1u << int(NormalForm::Nfkd);
    static constexpr std::uint8_t kComposing = 1u << int(NormalForm::Nfc) | 1u << int(NormalForm::Nfkc);
    static constexpr std::uint8_t kCompatible = 1u << int(NormalForm::Nfkc) | 1u << int(NormalForm::Nfkd);

    static std::uint8_t flagOf(NormalForm form) { return static_cast<std::uint8_t>(1u << int(form)); }
    static const std::u32string* resultIn(const Mapping& mapping, char32_t code)
    {
        const auto found = mapping.find(code);
        return found == mapping.end() ? nullptr : &found->second;
    }
    static std::uint64_t pairOf(char32_t first, char32_t second)
    {
        return std::uint64_t(first) << 32 | second;
    }

    void markUnstable(char32_t first, char32_t count, std::uint8_t forms)
    {
        for (char32_t code = first; code < first + count; ++code)
            m_unstable[code] |= forms;
    }

    void fillUnstable()
    {
        for (const auto& [code, combiningClass] : m_classes)
            markUnstable(code, 1, kDecomposing | kComposing);
        for (const auto& [code, result] : m_canonical)
            markUnstable(code, 1, kDecomposing);
        for (const auto& [code, result] : m_compatible)
            markUnstable(code, 1, kCompatible);
        markUnstable(hangul::kFirst, hangul::kCount, kDecomposing);
        markUnstable(hangul::kVowel, hangul::kVowels, kComposing);
        markUnstable(hangul::kTrail, hangul::kTrails, kComposing);
    }

    /// A complete decomposition is that of the composition's first half, and its second half.
    void fillCompositions()
    {
        for (const CodePointRange& range : codePoints(normalFormTables().notComposed))
            markUnstable(range.first, range.last - range.first + 1, kComposing);
        std::unordered_map<std::u32string, char32_t> wholes;
        for (const auto& [code, result] : m_canonical) {
            if (isStable(code, NormalForm::Nfc))
                wholes.emplace(result, code);
        }
        for (const auto& [result, code] : wholes) {
            const std::u32string firstHalf = result.substr(0, result.size() - 1);
            const auto first = wholes.find(firstHalf);
            TRAINYARD_CHECK(firstHalf.size() == 1 || first != wholes.end());
            m_compositions.emplace(
                pairOf(firstHalf.size() == 1 ? firstHalf[0] : first->second, result.back()), code);
            markUnstable(result.back(), 1, kComposing);
        }
    }

    Mapping m_canonical;
    Mapping m_compatible;
    Mapping m_lower;
    std::unordered_map<char32_t, std::uint8_t> m_classes;
    std::unordered_map<std::uint64_t, char32_t> m_compositions;
    std::vector<std::uint8_t> m_unstable; ///< flags of normal forms, by code point
};

const Tables& tables()
{
    static const Tables tables;
    return tables;
}

/// Marks in the order of their classes (Unicode standard, section 3.11).
void sortMarks(std::u32string& text)
{
    const auto classOf = [](char32_t code) { return tables().combiningClass(code); };
    for (auto at = text.begin(); at != text.end();) {
        const auto begin = std::find_if(at, text.end(), classOf);
        at = std::find_if_not(begin, text.end(), classOf);
        std::stable_sort(begin, at, [&](char32_t a, char32_t b) { return classOf(a) < classOf(b); });
    }
}

/// Joins each character with the starter before it, unless one of the same or a higher class, or a starter,
/// lies between (Unicode standard, section 3.11, D117).
void compose(std::u32string& text)
{
    constexpr std::size_t kNone = ~std::size_t(0);
    std::size_t starter = kNone, size = 0;
    std::uint8_t lastClass = 0; // of what was kept behind the starter
    for (const char32_t code : text) {
        const std::uint8_t combiningClass = tables().combiningClass(code);
        const bool isNext = starter != kNone && size == starter + 1;
        const bool isFree = starter != kNone && (isNext || lastClass < combiningClass);
        if (const char32_t whole = isFree ? tables().compose(text[starter], code) : 0) {
            text[starter] = whole;
            continue;
        }
        if (combiningClass == 0)
            starter = size;
        lastClass = combiningClass;
        text[size++] = code;
    }
    text.resize(size);
}

/// `text` begins with a stable code point, or at the start of the whole text, and ends before one.
void appendNormalized(NormalForm form, std::string_view text, std::string& out)
{
    std::u32string codes;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        tables().decompose(c.code, form == NormalForm::Nfkc || form == NormalForm::Nfkd, codes);
        at += c.bytes;
    }
    sortMarks(codes);
    if (form == NormalForm::Nfc || form == NormalForm::Nfkc)
        compose(codes);
    for (const char32_t code : codes)
        appendUtf8(out, code);
}

/// Length of the ASCII that starts at text[at].
std::size_t asciiAt(std::string_view text, std::size_t at)
{
    std::size_t end = at;
    while (end < text.size() && static_cast<unsigned char>(text[end]) < 0x80)
        ++end;
    return end - at;
}

} // namespace

std::string normalized(NormalForm form, std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    std::size_t done = 0, stable = 0; // copied so far; where the last stable code point begins
    bool isPlain = true;              // since then
    const auto finish = [&](std::size_t end) {
        if (!isPlain) {
            out += text.substr(done, stable - done);
            appendNormalized(form, text.substr(stable, end - stable), out);
            done = end;
        }
    };
    for (std::size_t at = 0; at < text.size();) {
        if (const std::size_t ascii = asciiAt(text, at)) { // stable, all of it
            finish(at);
            at += ascii;
            stable = at - 1;
            isPlain = true;
            continue;
        }
        const Utf8Char c = decodeUtf8(text, at);
        const bool isStable = tables().isStable(c.code, form);
        if (isStable) {
            finish(at);
            stable = at;
        }
        isPlain = isStable;
        at += c.bytes;
    }
    finish(text.size());
    return out += text.substr(done);
}

std::string lowerCased(std::string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = decodeUtf8(text, at);
        if (const std::u32string* result = tables().lowerOf(c.code)) {
            for (const char32_t code : *result)
                appendUtf8(out, code);
        } else {
            out += text.substr(at, c.bytes);
        }
        at += c.bytes;
    }
    return out;
}

} // namespace trainyard
