#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <vector>

#include "datasets/corpus/letters.h"
#include "datasets/corpus/paragraphs.h"
#include "datasets/corpus/text_scan.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using std::string_view;

enum class Mark : std::uint8_t {
    None,          ///< part of a word
    Blank,         ///< any width
    Dropped,       ///< shows nothing: zero-width space, soft hyphen, direction marks, controls
    LeftOut,       ///< something was taken out here
    Opening,       ///< bracket
    Closing,       ///< bracket
    Separator,     ///< "," ";" ":"
    WideSeparator, ///< the same in Chinese and Japanese, without blanks
    Terminator,    ///< "." "!" "?"
    Quote,         ///< straight
    OpenQuote,
    CloseQuote,
};

struct Token {
    Mark mark;
    std::size_t size;
};

Mark wideMark(char32_t code)
{
    switch (code) {
    case U'\u00AD': // soft hyphen
    case U'\u200B': // zero-width space
    case U'\u200E': // left-to-right mark
    case U'\u200F': // right-to-left mark
    case U'\u2060': // word joiner
    case U'\uFEFF': // byte order mark
        return Mark::Dropped;
    case U'（':
    case U'［':
        return Mark::Opening;
    case U'）':
    case U'］':
        return Mark::Closing;
    case U'“':
    case U'«':
    case U'「':
    case U'『':
    case U'《':
    case U'‹':
        return Mark::OpenQuote;
    case U'”':
    case U'»':
    case U'」':
    case U'』':
    case U'》':
    case U'›':
        return Mark::CloseQuote;
    case U'،':
    case U'؛':
        return Mark::Separator;
    case U'，':
    case U'、':
    case U'；':
    case U'：':
        return Mark::WideSeparator;
    default:
        return letterKinds(code) & letter_kind::kSpace ? Mark::Blank : Mark::None;
    }
}

constexpr std::array<Mark, 128> asciiMarks()
{
    std::array<Mark, 128> marks{};
    for (std::size_t c = 0; c < 32; ++c)
        marks[c] = Mark::Dropped;
    for (const char c : {' ', '\t', '\n', '\r', '\v', '\f'})
        marks[static_cast<std::size_t>(c)] = Mark::Blank;
    marks[static_cast<std::size_t>(kOmission)] = Mark::LeftOut;
    marks['('] = marks['['] = Mark::Opening;
    marks[')'] = marks[']'] = Mark::Closing;
    marks[','] = marks[';'] = marks[':'] = Mark::Separator;
    marks['.'] = marks['!'] = marks['?'] = Mark::Terminator;
    marks['"'] = Mark::Quote;
    return marks;
}

constexpr std::array<Mark, 128> kAsciiMarks = asciiMarks();

/// Bytes that begin no mark: most of ASCII, and the first bytes of characters without marks among them.
constexpr std::array<bool, 256> plainBytes()
{
    std::array<bool, 256> plain{};
    for (std::size_t c = 0; c < 128; ++c)
        plain[c] = kAsciiMarks[c] == Mark::None;
    for (std::size_t c = 128; c < 256; ++c)
        plain[c] = c != 0xC2 && c != 0xD8 && c != 0xE1 && c != 0xE2 && c != 0xE3 && c != 0xEF;
    return plain;
}

constexpr std::array<bool, 256> kPlain = plainBytes();

constexpr std::size_t kMaxLead = 40; // bytes, as "British English:" in front of a pronunciation

bool isOneOf(char c, string_view set)
{
    return set.find(c) != string_view::npos;
}

bool isAlphanumeric(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// Processes marks one by one and looks back at the written text.
class Tidier {
public:
    explicit Tidier(string_view text) : m_text(text) { m_out.reserve(text.size()); }

    std::string run()
    {
        while (m_at < m_text.size()) {
            copyPlain();
            if (m_at < m_text.size())
                add(tokenHere());
        }
        trimEnd(" ");
        return std::move(m_out);
    }

private:
    void copyPlain()
    {
        std::size_t end = m_at;
        while (end < m_text.size() && kPlain[static_cast<unsigned char>(m_text[end])])
            ++end;
        m_out.append(m_text.substr(m_at, end - m_at));
        m_at = end;
    }

    Token tokenHere() const
    {
        const auto byte = static_cast<unsigned char>(m_text[m_at]);
        if (byte < 0x80)
            return {kAsciiMarks[byte], 1};
        const Utf8Char c = decodeUtf8(m_text, m_at);
        return {wideMark(c.code), c.bytes};
    }

    void add(Token token)
    {
        const string_view written = m_text.substr(m_at, token.size);
        m_at += token.size;
        switch (token.mark) {
        case Mark::None:
            m_out += written;
            break;
        case Mark::Blank:
            addBlank();
            break;
        case Mark::Dropped:
            keepApart();
            break;
        case Mark::LeftOut:
            leaveOut();
            keepApart();
            break;
        case Mark::Opening:
            m_out.append(written == "[" && joins('[') ? " " : "");
            m_brackets.push_back({m_out.size(), m_out.size() + written.size()});
            m_out += written;
            break;
        case Mark::Closing:
            closeBracket(written);
            break;
        case Mark::Separator:
            addSeparator(written);
            break;
        case Mark::WideSeparator:
            addWideSeparator(written);
            break;
        case Mark::Terminator:
            addTerminator(written.front());
            break;
        case Mark::Quote:
            addQuote();
            break;
        case Mark::OpenQuote:
            m_openQuote = m_out.size() + written.size();
            m_out += written;
            break;
        case Mark::CloseQuote:
            closeQuote(written);
            break;
        }
    }

    char next() const { return m_at < m_text.size() ? m_text[m_at] : ' '; }
    bool nextIsWord() const { return std::isalnum(static_cast<unsigned char>(next())) != 0; }

    /// The bracket just taken would stand beside one that something parted from it: "[[" and "]]" are markup.
    bool joins(char bracket) const
    {
        return m_out.ends_with(bracket) && (m_at < 2 || m_text[m_at - 2] != bracket);
    }

    bool afterOpening() const { return !m_brackets.empty() && m_brackets.back().inside == m_out.size(); }

    void addBlank()
    {
        if (!m_out.empty() && m_out.back() != ' ' && !afterOpening())
            m_out += ' ';
    }

    /// Handles a removed formula or pronunciation: "(pronounced ...; born 1900)" loses the words that
    /// introduced it.
    void leaveOut()
    {
        if (m_brackets.empty() || !partEnds())
            return;
        const std::size_t inside = std::min(m_brackets.back().inside, m_out.size());
        const std::size_t begin = std::max(inside, m_out.size() - std::min(m_out.size(), kMaxLead));
        const string_view lead = string_view(m_out).substr(begin);
        const auto separator = lead.find_last_of(",;");
        const bool reachesBack = separator != string_view::npos || begin == inside;
        const string_view part = lead.substr(separator == string_view::npos ? 0 : separator + 1);
        if (reachesBack && onlyLeads(trimmed(part)))
            m_out.resize(m_out.size() - part.size());
    }

    /// Words that make no sense without a following text: "English:", "or", "is pronounced".
    static bool onlyLeads(string_view words)
    {
        static constexpr string_view leads[]{
            "or",           "and",   "also",          "from",     "i.e.",      "e.g.",
            "IPA",          "where", "pronounced",    "prononcé", "prononcée", "uitspraak",
            "in IPA",       "is",    "is pronounced", "with",     "for",       "ausgesprochen",
            "произносится", "МФА",   "pronunciado",   "pronuncia"};
        return words.empty() || words.ends_with(':') || words.ends_with(" pronounced") ||
               contains(leads, words);
    }

    /// Returns true at the end of this part of the bracket.
    bool partEnds() const
    {
        static constexpr ByteSet skipped(" \x01\"'/[]");
        const string_view rest = m_text.substr(m_at, kMaxLead);
        const std::size_t at = skipped.findOther(rest, 0);
        return at < rest.size() && isOneOf(rest[at], ",;)");
    }

    void closeBracket(string_view written)
    {
        if (m_brackets.empty()) {
            trimEnd(" ");
            if (written != "]" || !m_out.ends_with(']')) // "]]" would be markup
                m_out += written;
            return;
        }
        const Bracket open = m_brackets.back();
        m_brackets.pop_back();
        trimSeparators(open.inside);
        if (m_out.size() <= open.inside) { // nothing but separators was inside
            m_out.resize(std::min(open.begin, m_out.size()));
            keepApart();
        } else {
            m_out.append(written == "]" && joins(']') ? " " : "").append(written);
        }
    }

    void trimSeparators(std::size_t notBefore)
    {
        static constexpr string_view wide[]{"，", "、", "；", "：", "،", "؛"};
        for (bool again = true; again;) {
            again = false;
            while (m_out.size() > notBefore && isOneOf(m_out.back(), " ,;:")) {
                m_out.pop_back();
                again = true;
            }
            for (const string_view separator : wide) {
                if (m_out.size() >= notBefore + separator.size() && m_out.ends_with(separator)) {
                    m_out.resize(m_out.size() - separator.size());
                    again = true;
                }
            }
        }
    }

    /// A separator must separate something: it is dropped after "(" and after another one.
    void addSeparator(string_view written)
    {
        const char c = written.front();
        const bool timeOrUrl = nextIsWord() || next() == '/' || (c == ':' && next() == ':');
        if (c != ',' && written.size() == 1 && timeOrUrl && !m_out.empty() && m_out.back() != ' ' &&
            !afterOpening()) {
            m_out += c;
            return;
        }
        trimEnd(" ");
        if (m_out.empty() || afterOpening() || isOneOf(m_out.back(), ",;:"))
            return;
        m_out += written;
    }

    void addWideSeparator(string_view written)
    {
        trimEnd(" ");
        if (!m_out.empty() && !afterOpening() && !m_out.ends_with(written))
            m_out += written;
    }

    void addTerminator(char c)
    {
        if (c == '.' && m_text.substr(m_at).starts_with(" . .")) { // an ellipsis with blanks
            m_out += "...";
            m_at += 4;
            return;
        }
        const bool comparison = m_out.ends_with("< "); // "<!--" would be markup
        if (isAlphanumeric(next()) || next() == '.' || comparison) {
            m_out += c;
            return;
        }
        const bool stands = m_out.ends_with(". ") && c == '.'; // "old. {{x}}."
        addAfterTrim(string_view(&c, 1));
        if (stands)
            m_out.pop_back();
    }

    void addAfterTrim(string_view written)
    {
        trimEnd(" ");
        if (written == "." && !m_out.empty() && isOneOf(m_out.back(), ",;"))
            m_out.pop_back();
        m_out += written;
    }

    /// Empty quotation marks are remnants.
    void addQuote()
    {
        if (next() != '"') {
            m_out += '"';
            return;
        }
        ++m_at;
        keepApart();
    }

    void closeQuote(string_view written)
    {
        std::size_t end = m_out.size();
        while (end > 0 && m_out[end - 1] == ' ')
            --end;
        if (m_openQuote == end && end > 0) {
            m_out.resize(end - openQuoteSize());
            m_openQuote = 0;
            keepApart();
        } else {
            m_out += written;
        }
    }

    /// Of the opening mark that ends m_out once blanks are taken away.
    std::size_t openQuoteSize()
    {
        m_out.resize(m_openQuote);
        for (const string_view mark : {"“", "«", "「", "『", "《", "‹"}) {
            if (m_out.ends_with(mark))
                return mark.size();
        }
        return 0;
    }

    /// Text joined by a removal must not become markup: "{" and "|", "<!" and "--", "<re" and "f>".
    void keepApart()
    {
        static constexpr string_view marks[]{"''", "~~~", "-->"};
        const bool bracket = !m_out.empty() && isOneOf(m_out.back(), "{}[]|");
        const auto joins = [this](string_view mark) { return joinsTo(mark); };
        if (bracket || opensTag() || std::any_of(std::begin(marks), std::end(marks), joins))
            m_out += ' ';
    }

    /// "<", "<!-", "</re": the name of a tag or the sign of a comment may go on.
    bool opensTag() const
    {
        std::size_t begin = m_out.size();
        while (begin > 0 && (isAlphanumeric(m_out[begin - 1]) || isOneOf(m_out[begin - 1], "/!-")))
            --begin;
        return begin > 0 && m_out[begin - 1] == '<';
    }

    /// Returns true if the written text ends with the first part of the mark and the next text starts with
    /// the rest.
    bool joinsTo(string_view mark) const
    {
        for (std::size_t size = 1; size < mark.size(); ++size) {
            if (m_out.ends_with(mark.substr(0, size)) && m_text.substr(m_at).starts_with(mark.substr(size)))
                return true;
        }
        return false;
    }

    void trimEnd(string_view set)
    {
        while (!m_out.empty() && isOneOf(m_out.back(), set))
            m_out.pop_back();
    }

    struct Bracket {
        std::size_t begin;  ///< where it stands in m_out
        std::size_t inside; ///< behind it
    };

    string_view m_text;
    std::size_t m_at = 0;
    std::string m_out;
    std::vector<Bracket> m_brackets; ///< that are open
    std::size_t m_openQuote = 0;     ///< behind the last opening quotation mark in m_out; 0 = none
};

} // namespace

std::string tidy(string_view paragraph)
{
    return Tidier(paragraph).run();
}

} // namespace trainyard
