#include <QTest>

#include <functional>
#include <random>

#include "datasets/tokenizer_json/pattern.h"
#include "engine/base/utf8.h"

using namespace trainyard;

namespace {

/// Backtracking as it is defined, without any shortcut: the reference of the machine.
class PlainMatcher {
public:
    using Next = std::function<bool(std::size_t)>;

    PlainMatcher(const PatternNode& tree, std::string_view text) : m_tree(tree), m_text(text) {}

    std::optional<Pattern::Match> find(std::size_t from) const
    {
        for (std::size_t at = from; at < m_text.size(); at += decodeUtf8(m_text, at).bytes) {
            std::size_t end = 0;
            if (matches(m_tree, at, [&](std::size_t found) { return end = found, true; }))
                return Pattern::Match{at, end};
        }
        return std::nullopt;
    }

private:
    using Kind = PatternNode::Kind;

    bool matches(const PatternNode& node, std::size_t at, const Next& next) const
    {
        switch (node.kind) {
        case Kind::Set: {
            if (at == m_text.size())
                return false;
            const Utf8Char c = decodeUtf8(m_text, at);
            return node.set.contains(c.code) && next(at + c.bytes);
        }
        case Kind::Sequence:
            return matchesRest(node, 0, at, next);
        case Kind::Alternatives:
            for (const PatternNode& part : node.parts) {
                if (matches(part, at, next))
                    return true;
            }
            return false;
        case Kind::Repeat:
            return matchesRepeat(node, 0, at, next);
        case Kind::Look:
            return matches(node.parts[0], at, [](std::size_t) { return true; }) != node.negative && next(at);
        case Kind::TextBegin:
            return at == 0 && next(at);
        case Kind::TextEnd:
            return at == m_text.size() && next(at);
        case Kind::LineBegin:
            return (at == 0 || (at < m_text.size() && m_text[at - 1] == '\n')) && next(at);
        case Kind::LineEnd:
            return (at == m_text.size() || m_text[at] == '\n') && next(at);
        }
        return false;
    }

    bool matchesRest(const PatternNode& node, std::size_t part, std::size_t at, const Next& next) const
    {
        if (part == node.parts.size())
            return next(at);
        return matches(node.parts[part], at,
                       [&, part](std::size_t end) { return matchesRest(node, part + 1, end, next); });
    }

    bool matchesRepeat(const PatternNode& node, unsigned count, std::size_t at, const Next& next) const
    {
        if (node.mode == PatternNode::Mode::Possessive) {
            PatternNode greedy = node;
            greedy.mode = PatternNode::Mode::Greedy;
            std::size_t end = 0;
            return matches(greedy, at, [&](std::size_t found) { return end = found, true; }) && next(end);
        }
        const auto again = [&] {
            return count < node.most && matches(node.parts[0], at, [&](std::size_t end) {
                       return matchesRepeat(node, count + 1, end, next);
                   });
        };
        const auto enough = [&] { return count >= node.least && next(at); };
        return node.mode == PatternNode::Mode::Greedy ? again() || enough() : enough() || again();
    }

    const PatternNode& m_tree;
    std::string_view m_text;
};

template <typename Find>
std::string partsOf(std::string_view text, Find find)
{
    std::string parts;
    for (std::size_t at = 0;;) {
        const std::optional<Pattern::Match> match = find(at);
        if (!match)
            return parts + std::string(text.substr(at));
        parts.append(text.substr(at, match->begin - at)).append("<");
        parts.append(text.substr(match->begin, match->end - match->begin)).append(">");
        at = match->end;
    }
}

/// An expression of few letters, so that its parts match often.
std::string randomExpression(std::mt19937& random, int depth)
{
    static const std::vector<std::string> kAtoms{"a", "b",       "é",      "[ab]",        "[^a]",
                                                 ".", "\\s",     "\\S",    "[a-b\\s]",    "^",
                                                 "$", "(?i:aS)", "\\p{L}", "[^\\s\\p{L}]"};
    static const std::vector<std::string> kCounts{"",   "",   "",   "*",  "+",   "?",     "*?",  "+?",
                                                  "??", "*+", "++", "?+", "{2}", "{1,2}", "{2,}"};
    const auto any = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
    std::string out;
    for (unsigned parts = 1 + random() % 3; parts > 0; --parts) {
        const unsigned kind = depth > 0 ? random() % 6 : 5;
        const auto inner = [&] { return randomExpression(random, depth - 1); };
        if (kind == 0)
            out += "(?:" + inner() + ")" + any(kCounts);
        else if (kind == 1)
            out += "(?:" + inner() + "|" + inner() + ")" + any(kCounts);
        else if (kind == 2)
            out += (random() % 2 ? "(?!" : "(?=") + inner() + ")";
        else if (const std::string atom = any(kAtoms); atom == "^" || atom == "$")
            out += atom;
        else
            out += atom + (atom.starts_with("(") ? "" : any(kCounts));
    }
    return depth == 2 && random() % 2 ? out + "|" + randomExpression(random, 1) : out;
}

} // namespace

class TestPattern : public QObject {
    Q_OBJECT

private slots:
    void matchesAsThePlainReference();
    void readsTheSyntaxOfOniguruma_data();
    void readsTheSyntaxOfOniguruma();
    void refusesWhatItDoesNotKnow_data();
    void refusesWhatItDoesNotKnow();
};

void TestPattern::matchesAsThePlainReference()
{
    static const std::vector<std::string> kLetters{"a", "a", "b", "S", "ſ", "é", " ", "\n", "1", "中"};
    std::mt19937 random(5);
    int compared = 0;
    for (int round = 0; round < 1500; ++round) {
        const std::string expression = randomExpression(random, 2);
        const auto tree = parsePattern(expression);
        QVERIFY2(tree.ok(), tree.ok() ? "" : tree.error().text().c_str());
        const auto pattern = Pattern::compile(*tree);
        if (!pattern.ok())
            continue; // it could match the empty text
        for (int i = 0; i < 5; ++i, ++compared) {
            std::string text;
            for (unsigned letters = random() % 12; letters > 0; --letters)
                text += kLetters[random() % kLetters.size()];
            const PlainMatcher plain(*tree, text);
            const std::string expected = partsOf(text, [&](std::size_t at) { return plain.find(at); });
            const std::string found = partsOf(text, [&](std::size_t at) { return pattern->find(text, at); });
            QVERIFY2(found == expected, (expression + "\n" + found + "\n" + expected).c_str());
        }
    }
    QVERIFY(compared > 1000);
}

void TestPattern::readsTheSyntaxOfOniguruma_data()
{
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<std::string>("parts");
    const auto row = [](const char* name, const char* expression, const char* text, const char* parts) {
        QTest::newRow(name) << std::string(expression) << std::string(text) << std::string(parts);
    };
    row("the last blank stays with the word", R"( ?\w+|\s+(?!\S)|\s+)", "a   b", "<a><  >< b>");
    row("case of ASCII, and the long s", "(?i:'s|'K)", "'s 'S 'ſ 'k '\u212A",
        "<'s> <'S> <'ſ> <'k> <'\u212A>");
    row("nested class", "[^(a[bc])]+", "xaby(cz", "<x>ab<y>(c<z>");
    row("intersection", R"([\p{L}&&[^\p{Lu}x]]+)", "abXxÄäß", "<ab>XxÄ<äß>");
    row("{2,3}+ repeats", "(?:ab){2}+", "abababab ab", "<abababab> ab");
    row("{2}? is optional", "xa{2}?", "xaaa xa", "<xaa>a <x>a");
    row("++ keeps what it has", "a++b|a++a", "aab", "<aab>");
    row("++ never gives back", "a++a", "aaa", "aaa");
    row("lines", "^a|b$", "ab\nab\n", "<a><b>\n<a><b>\n");
    row("text", R"(\Aa|b\z)", "ab\nab", "<a>b\na<b>");
    row("code points", R"(\x41|\x{1F600}|\u00e9)", "A😀é", "<A><😀><é>");
    row("letters of Unicode 16, not 17", R"(\p{L}+)", "\u1C89 \uA7CE", "<\u1C89> \uA7CE");
    row("white space", R"(\s+)", "a\u0085\u2028\u3000\u200Bb", "a<\u0085\u2028\u3000>\u200Bb");
    row("a ] and - that are meant", R"([\]\-a-]+)", "x]-a", "x<]-a>");
}

void TestPattern::readsTheSyntaxOfOniguruma()
{
    QFETCH(std::string, expression);
    QFETCH(std::string, text);
    QFETCH(std::string, parts);
    const auto pattern = Pattern::parse(expression);
    QVERIFY2(pattern.ok(), pattern.ok() ? "" : pattern.error().text().c_str());
    QCOMPARE(partsOf(text, [&](std::size_t at) { return pattern->find(text, at); }), parts);
}

void TestPattern::refusesWhatItDoesNotKnow_data()
{
    QTest::addColumn<std::string>("expression");
    QTest::addColumn<std::string>("message");
    const auto row = [](const char* expression, const char* message) {
        QTest::newRow(expression) << std::string(expression) << std::string(message);
    };
    row("(?<=a)b", "the group (?<=");
    row("(?i)a", "the group (?i)");
    row("(?m:a)", "the group (?m:");
    row("(a", "a ( without its )");
    row("a)", "a ) without its (");
    row("[a", "a [ without its ]");
    row("[]a]", "an empty class");
    row("[[:alpha:]]", "a [: :]");
    row("[\\s-z]", "a - that could be a range");
    row("[z-a]", "an invalid range");
    row("*a", "a repetition of nothing");
    row("a{", "an invalid count");
    row("a{3,2}", "an invalid count");
    row("a{5000}", "an invalid count");
    row("\\bword", "an unknown escape");
    row("\\1", "an unknown escape");
    row("\\h", "an unknown escape");
    row("\\p{Klingon}", "the property \"Klingon\"");
    row("\\p{RustWord}", "the property \"RustWord\"");
    row("\\p", "a property without {");
    row("\\xE9", "an invalid code point");
    row("\\x{110000}", "an invalid code point");
    row("(?i:ß)", "without regard to case");
    row("(?i:stop)", "\"st\" without regard to case");
    row("(?i:\\p{Lu})", "a class beyond ASCII without regard to case");
    row("a*", "matches the empty text");
    row("(?=a)", "matches the empty text");
    row("(?:a*)*b", "repeats the empty text");
    row("(?:(?:a{1000}b){1000}c){1000}", "repeats too much");
}

void TestPattern::refusesWhatItDoesNotKnow()
{
    QFETCH(std::string, expression);
    QFETCH(std::string, message);
    const auto pattern = Pattern::parse(expression);
    QVERIFY(!pattern.ok());
    QVERIFY2(pattern.error().message.find(message) != std::string::npos, pattern.error().text().c_str());
}

QTEST_APPLESS_MAIN(TestPattern)
#include "tst_pattern.moc"
