#include "datasets/corpus/letters.h"

#include <algorithm>
#include <vector>

#include "datasets/corpus/code_points.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kSmallSigma = 0x3C3;
constexpr char32_t kFinalSigma = 0x3C2;
constexpr char32_t kCapitalIWithDot = 0x130;

/// Characters of these planes, which hold all but a few letters, are looked up in a table.
constexpr char32_t kTableEnd = 0x20000;

struct LetterRange {
    char32_t first;
    char32_t last; ///< included
    std::uint8_t kinds;
};

/// The kinds of all characters.
class KindTable {
public:
    KindTable() : m_table(kTableEnd)
    {
        for (const LetterSet& set : letterSets()) {
            for (const auto& [first, last, step] : codePoints(set.characters)) {
                for (char32_t code = first; code <= last && code < kTableEnd; code += step)
                    m_table[code] = set.kinds;
                if (last >= kTableEnd)
                    m_rest.push_back({std::max(first, kTableEnd), last, set.kinds});
            }
        }
    }

    std::uint8_t operator[](char32_t code) const
    {
        if (code < kTableEnd)
            return m_table[code];
        const auto range = std::ranges::find_if(
            m_rest, [code](const LetterRange& each) { return each.first <= code && code <= each.last; });
        return range == m_rest.end() ? std::uint8_t{0} : range->kinds;
    }

private:
    std::vector<std::uint8_t> m_table;
    std::vector<LetterRange> m_rest; ///< a dozen ideographs and selectors
};

char32_t simpleLowerCase(char32_t code)
{
    if (code < 0x80)
        return code >= 'A' && code <= 'Z' ? code + ('a' - 'A') : code;
    const auto range = std::ranges::lower_bound(lowerCaseRanges(), code, {}, &LowerCaseRange::last);
    if (range == lowerCaseRanges().end() || code < range->first || (code - range->first) % range->step != 0)
        return code;
    return static_cast<char32_t>(static_cast<std::int32_t>(code) + range->distance);
}

/// True if the first character from `at` on that is not ignorable is cased.
bool casedFollows(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const Utf8Char c = decodeUtf8(text, at);
        const std::uint8_t kinds = letterKinds(c.code);
        if (!(kinds & letter_kind::kCaseIgnorable))
            return kinds & letter_kind::kCased;
        at += c.bytes;
    }
    return false;
}

/// Lower case of one character after the other. Remembers whether the last one that counts was cased.
class LowerCaser {
public:
    explicit LowerCaser(std::string_view text) : m_text(text) { m_out.reserve(text.size()); }

    std::string run()
    {
        for (std::size_t at = 0; at < m_text.size();)
            at += add(at);
        return std::move(m_out);
    }

private:
    std::size_t add(std::size_t at)
    {
        const Utf8Char c = decodeUtf8(m_text, at);
        if (c.code == kReplacementCharacter)
            m_out.append(m_text.substr(at, c.bytes));
        else if (c.code == kCapitalSigma)
            appendUtf8(m_out, m_cased && !casedFollows(m_text, at + c.bytes) ? kFinalSigma : kSmallSigma);
        else if (c.code == kCapitalIWithDot)
            m_out += "i\u0307";
        else
            appendUtf8(m_out, simpleLowerCase(c.code));
        const std::uint8_t kinds = letterKinds(c.code);
        if (!(kinds & letter_kind::kCaseIgnorable))
            m_cased = kinds & letter_kind::kCased;
        return c.bytes;
    }

    std::string_view m_text;
    std::string m_out;
    bool m_cased = false;
};

bool isAscii(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

} // namespace

std::uint8_t letterKinds(char32_t code)
{
    static const KindTable table;
    return table[code];
}

std::string lowerCase(std::string_view text)
{
    if (!isAscii(text))
        return LowerCaser(text).run();
    std::string out(text);
    for (char& c : out)
        c = static_cast<char>(simpleLowerCase(static_cast<unsigned char>(c)));
    return out;
}

} // namespace trainyard
