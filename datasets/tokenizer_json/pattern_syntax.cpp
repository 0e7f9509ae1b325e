#include "datasets/tokenizer_json/pattern_syntax.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

using Kind = PatternNode::Kind;
using Mode = PatternNode::Mode;

constexpr unsigned kMaxRepetitions = 1000; // as many copies a pattern may have of a group
constexpr unsigned kMaxDepth = 50;

CodePointSet property(std::string_view name)
{
    return codePointsWith(name).value();
}

/// ASCII letters match both cases, and the two other letters that fold to s and k.
CodePointSet withOtherCase(const CodePointSet& set)
{
    std::vector<CodePointSet::Range> more;
    const auto folded = [&](char32_t lower, std::initializer_list<char32_t> equal) {
        if (!std::ranges::any_of(equal, [&](char32_t code) { return set.contains(code); }) &&
            !set.contains(lower))
            return;
        more.push_back({lower, lower});
        for (const char32_t code : equal)
            more.push_back({code, code});
    };
    for (char32_t lower = 'a'; lower <= 'z'; ++lower)
        folded(lower, {lower - 'a' + 'A'});
    folded('s', {'S', 0x17F});
    folded('k', {'K', 0x212A});
    return set | CodePointSet(std::move(more));
}

bool isLetterOfCase(char32_t code)
{
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
}

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    Result<PatternNode> parseAll()
    {
        TRAINYARD_TRY(PatternNode node, alternatives());
        if (!atEnd())
            return unsupported("a ) without its (");
        return node;
    }

private:
    bool atEnd() const { return m_at == m_text.size(); }
    bool sees(std::string_view text) const { return m_text.substr(m_at).starts_with(text); }
    bool takes(std::string_view text)
    {
        const bool found = sees(text);
        m_at += found ? text.size() : 0;
        return found;
    }
    char32_t takeCode()
    {
        const Utf8Char c = decodeUtf8(m_text, m_at);
        m_at += c.bytes;
        return c.code;
    }
    Error unsupported(std::string_view what) const
    {
        return badInput(
            fmt::format("the regular expression \"{}\" has {} at byte {}, which is not supported", m_text,
                        what, m_at),
            "known are literals, classes, \\s \\w \\d \\p{..}, groups, (?i:..), look-ahead and repetition");
    }

    Result<PatternNode> alternatives()
    {
        if (++m_depth > kMaxDepth)
            return unsupported("more than 50 nested groups");
        std::vector<PatternNode> parts;
        do {
            TRAINYARD_TRY(PatternNode part, sequence());
            parts.push_back(std::move(part));
        } while (takes("|"));
        --m_depth;
        if (parts.size() == 1)
            return std::move(parts.front());
        return PatternNode{.kind = Kind::Alternatives, .set = {}, .parts = std::move(parts)};
    }

    Result<PatternNode> sequence()
    {
        PatternNode node;
        m_previousLetter = 0;
        while (!atEnd() && !sees("|") && !sees(")")) {
            TRAINYARD_TRY(PatternNode part, element());
            TRAINYARD_TRY(part, repetition(std::move(part)));
            node.parts.push_back(std::move(part));
        }
        return node;
    }

    Result<PatternNode> element()
    {
        const char32_t previous = std::exchange(m_previousLetter, 0);
        if (takes("("))
            return group();
        if (takes("[")) {
            TRAINYARD_TRY(CodePointSet set, charClass());
            return ofClass(std::move(set));
        }
        if (takes("."))
            return PatternNode::ofSet(~CodePointSet::of('\n'));
        if (takes("^"))
            return PatternNode{.kind = Kind::LineBegin};
        if (takes("$"))
            return PatternNode{.kind = Kind::LineEnd};
        if (takes("\\A"))
            return PatternNode{.kind = Kind::TextBegin};
        if (takes("\\z"))
            return PatternNode{.kind = Kind::TextEnd};
        if (sees("*") || sees("+") || sees("?"))
            return unsupported("a repetition of nothing");
        if (takes("\\")) {
            TRAINYARD_TRY(CodePointSet set, escape());
            return ofClass(std::move(set));
        }
        return literal(previous);
    }

    Result<PatternNode> ofClass(CodePointSet set)
    {
        if (m_ignoresCase && !set.isEmpty() && set.ranges().back().last >= 0x80)
            return unsupported("a class beyond ASCII without regard to case");
        return PatternNode::ofSet(folded(std::move(set)));
    }

    /// Without regard to case, "ss" would match ß, and so on: single letters alone are folded here.
    Result<PatternNode> literal(char32_t previous)
    {
        const std::size_t begin = m_at;
        const char32_t code = takeCode();
        if (m_ignoresCase) {
            constexpr std::string_view kOtherLetters[] = {"ss", "st", "ff", "fi", "fl"};
            const auto lower = [](char32_t c) {
                return static_cast<char>(isLetterOfCase(c) ? c | 0x20 : ' ');
            };
            const std::string pair{lower(previous), lower(code)};
            if (code >= 0x80 || std::ranges::find(kOtherLetters, pair) != std::end(kOtherLetters)) {
                m_at = begin;
                return unsupported(
                    fmt::format("\"{}\" without regard to case", code >= 0x80 ? "a letter" : pair));
            }
            m_previousLetter = code;
        }
        return PatternNode::ofSet(folded(CodePointSet::of(code)));
    }

    CodePointSet folded(CodePointSet set) const
    {
        return m_ignoresCase ? withOtherCase(set) : std::move(set);
    }

    Result<PatternNode> group()
    {
        PatternNode look{.kind = Kind::Look};
        const bool ignoredCase = m_ignoresCase;
        bool looks = false;
        if (takes("?=") || takes("?!")) {
            looks = true;
            look.negative = m_text[m_at - 1] == '!';
        } else if (takes("?i:")) {
            m_ignoresCase = true;
        } else if (sees("?") && !takes("?:")) {
            return unsupported("the group (" + std::string(m_text.substr(m_at, 3)));
        }
        TRAINYARD_TRY(PatternNode inner, alternatives());
        m_ignoresCase = ignoredCase;
        if (!takes(")"))
            return unsupported("a ( without its )");
        if (!looks)
            return inner;
        look.parts.push_back(std::move(inner));
        return look;
    }

    Result<PatternNode> repetition(PatternNode part)
    {
        for (;;) {
            unsigned least = 0, most = PatternNode::kUnlimited;
            bool isCount = false, isExact = false;
            if (takes("+"))
                least = 1;
            else if (takes("?"))
                most = 1;
            else if (sees("{")) {
                TRAINYARD_TRY_STATUS(count(least, most));
                isCount = true;
                isExact = least == most;
            } else if (!takes("*"))
                return part;
            m_previousLetter = 0;
            if (part.kind != Kind::Set && part.kind != Kind::Sequence && part.kind != Kind::Alternatives &&
                part.kind != Kind::Repeat)
                return unsupported("a repetition of a position");
            // In this syntax {2,3}+ repeats {2,3} and {2}? makes it optional, while *+ and *? are modes.
            const Mode mode = !isExact && takes("?")   ? Mode::Lazy
                              : !isCount && takes("+") ? Mode::Possessive
                                                       : Mode::Greedy;
            part = PatternNode::repeated(std::move(part), least, most, mode);
        }
    }

    Status count(unsigned& least, unsigned& most)
    {
        const std::size_t begin = m_at;
        takes("{");
        const bool hasLeast = number(least);
        const bool hasComma = takes(",");
        const bool hasMost = hasComma ? number(most) : (most = least, hasLeast);
        if ((!hasLeast && !hasMost) || !takes("}") || most < least || least > kMaxRepetitions ||
            (hasMost && most > kMaxRepetitions)) {
            m_at = begin;
            return unsupported("an invalid count");
        }
        return {};
    }

    bool number(unsigned& value)
    {
        const auto [end, error] = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        if (error != std::errc())
            return false;
        m_at = static_cast<std::size_t>(end - m_text.data());
        return true;
    }

    /// What follows a backslash.
    Result<CodePointSet> escape()
    {
        if (atEnd())
            return unsupported("a \\ at its end");
        if (takes("x") || takes("u"))
            return hexadecimal();
        if (takes("p") || takes("P"))
            return namedProperty(m_text[m_at - 1] == 'P');
        const char32_t code = takeCode();
        switch (code) {
        case 's':
            return property("Space");
        case 'S':
            return ~property("Space");
        case 'w':
            return property("Word");
        case 'W':
            return ~property("Word");
        case 'd':
            return property("Nd");
        case 'D':
            return ~property("Nd");
        case 'n':
            return CodePointSet::of('\n');
        case 'r':
            return CodePointSet::of('\r');
        case 't':
            return CodePointSet::of('\t');
        case 'f':
            return CodePointSet::of('\f');
        case 'v':
            return CodePointSet::of('\v');
        default:
            break;
        }
        if (code < 0x80 && !isLetterOfCase(code) && !(code >= '0' && code <= '9'))
            return CodePointSet::of(code);
        m_at -= 1;
        return unsupported("an unknown escape");
    }

    /// \x41, \x{1F600} or \u0041.
    Result<CodePointSet> hexadecimal()
    {
        const bool isLong = m_text[m_at - 1] == 'x' && takes("{");
        const std::size_t most = isLong ? 6 : m_text[m_at - 1] == 'x' ? 2 : 4;
        std::uint32_t code = 0;
        const char* const begin = m_text.data() + m_at;
        const auto [end, error] =
            std::from_chars(begin, begin + std::min(most, m_text.size() - m_at), code, 16);
        const auto digits = static_cast<std::size_t>(end - begin);
        const bool isComplete = error == std::errc() && (isLong || digits == most);
        if (isComplete)
            m_at += digits;
        // A byte of a longer character in UTF-8, or half of one in UTF-16.
        const bool isPart = (!isLong && most == 2 && code >= 0x80) || (code >= 0xD800 && code <= 0xDFFF);
        if (!isComplete || isPart || code > CodePointSet::kLast || (isLong && !takes("}")))
            return unsupported("an invalid code point");
        return CodePointSet::of(code);
    }

    Result<CodePointSet> namedProperty(bool negated)
    {
        if (!takes("{"))
            return unsupported("a property without {");
        const bool inverted = takes("^");
        const std::size_t end = m_text.find('}', m_at);
        const std::string_view name = m_text.substr(m_at, end == m_text.npos ? 0 : end - m_at);
        const bool isCategory = name.size() <= 2;
        constexpr std::string_view kScripts[] = {"Han", "Hiragana", "Katakana", "Hangul"};
        const bool isScript = std::ranges::find(kScripts, name) != std::end(kScripts);
        const auto set = isCategory || isScript ? codePointsWith(name) : std::nullopt;
        if (name.empty() || !set)
            return unsupported(fmt::format("the property \"{}\"", name));
        m_at = end + 1;
        return negated != inverted ? ~*set : *set;
    }

    /// What follows [, with the ].
    Result<CodePointSet> charClass()
    {
        if (++m_depth > kMaxDepth)
            return unsupported("more than 50 nested classes");
        const bool negated = takes("^");
        std::optional<CodePointSet> others; // before &&
        CodePointSet set;
        while (!takes("]")) {
            if (atEnd())
                return unsupported("a [ without its ]");
            if (takes("&&")) {
                others = others ? *others & set : set;
                set = {};
            } else {
                TRAINYARD_TRY(const CodePointSet part, classPart());
                set = set | part;
            }
        }
        --m_depth;
        if (others)
            set = *others & set;
        if (set.isEmpty())
            return unsupported("an empty class");
        return negated ? ~set : set;
    }

    Result<CodePointSet> classPart()
    {
        if (sees("[:"))
            return unsupported("a [: :]");
        if (takes("["))
            return charClass();
        TRAINYARD_TRY(CodePointSet first, classCharacter());
        const bool isRange =
            sees("-") && m_text.substr(m_at + 1, 1) != "]" && !m_text.substr(m_at + 1).empty();
        if (!isRange)
            return first;
        const auto single = [](const CodePointSet& set) {
            return set.ranges().size() == 1 && set.ranges()[0].first == set.ranges()[0].last;
        };
        takes("-");
        if (!single(first) || sees("[") || sees("&&"))
            return unsupported("a - that could be a range");
        TRAINYARD_TRY(const CodePointSet last, classCharacter());
        if (!single(last) || last.ranges()[0].first < first.ranges()[0].first)
            return unsupported("an invalid range");
        return CodePointSet({{first.ranges()[0].first, last.ranges()[0].first}});
    }

    Result<CodePointSet> classCharacter()
    {
        if (takes("\\"))
            return escape();
        return CodePointSet::of(takeCode());
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    unsigned m_depth = 0;
    bool m_ignoresCase = false;
    char32_t m_previousLetter = 0; ///< the literal before, where case is ignored
};

} // namespace

PatternNode PatternNode::ofSet(CodePointSet set)
{
    return {.kind = Kind::Set, .set = std::move(set)};
}

PatternNode PatternNode::ofText(std::string_view utf8)
{
    PatternNode node;
    for (std::size_t at = 0; at < utf8.size();) {
        const Utf8Char c = decodeUtf8(utf8, at);
        node.parts.push_back(ofSet(CodePointSet::of(c.code)));
        at += c.bytes;
    }
    return node;
}

PatternNode PatternNode::repeated(PatternNode part, unsigned least, unsigned most, Mode mode)
{
    PatternNode node{
        .kind = Kind::Repeat, .set = {}, .parts = {}, .least = least, .most = most, .mode = mode};
    node.parts.push_back(std::move(part));
    return node;
}

Result<PatternNode> parsePattern(std::string_view text)
{
    if (!isUtf8(text))
        return badInput("a regular expression is not valid UTF-8");
    return Parser(text).parseAll();
}

} // namespace trainyard
