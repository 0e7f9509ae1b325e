#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "datasets/corpus/paragraphs.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr string_view kNoBreakSpace = "\u00A0";

bool isOneOf(char c, string_view set)
{
    return set.find(c) != string_view::npos;
}

/// Takes characters one by one and looks back at what it has written.
class Tidier {
public:
    std::string run(string_view text)
    {
        for (std::size_t i = 0; i < text.size(); ++i)
            add(text[i], i + 1 < text.size() ? text[i + 1] : ' ');
        trimEnd(" ");
        return std::move(m_out);
    }

private:
    void add(char c, char next)
    {
        if (c == '\t' || c == '\n')
            c = ' ';
        if (c == ' ')
            addBlank();
        else if (isOneOf(c, "(["))
            openBracket(c);
        else if (isOneOf(c, ")]"))
            closeBracket(c);
        else if (isOneOf(c, ",;:"))
            addSeparator(c, next);
        else if (isOneOf(c, ".!?") && !std::isalnum(static_cast<unsigned char>(next)) && next != '.')
            addAfterTrim(c);
        else
            m_out += c;
    }

    bool afterOpening() const { return !m_out.empty() && isOneOf(m_out.back(), "(["); }

    void addBlank()
    {
        if (!m_out.empty() && m_out.back() != ' ' && !afterOpening())
            m_out += ' ';
    }

    void openBracket(char c)
    {
        m_brackets.push_back(m_out.size());
        m_out += c;
    }

    void closeBracket(char c)
    {
        if (m_brackets.empty()) {
            addAfterTrim(c);
            return;
        }
        const std::size_t open = m_brackets.back();
        m_brackets.pop_back();
        trimEnd(" ,;:");
        if (m_out.size() <= open + 1) // nothing but separators was inside
            m_out.resize(std::min(open, m_out.size()));
        else
            m_out += c;
    }

    /// A separator needs something to separate: none after "(" and none after another one.
    void addSeparator(char c, char next)
    {
        const bool timeOrUrl = std::isalnum(static_cast<unsigned char>(next)) || next == '/';
        if (c != ',' && timeOrUrl && !m_out.empty() && m_out.back() != ' ' && !afterOpening()) {
            m_out += c;
            return;
        }
        trimEnd(" ");
        if (m_out.empty() || afterOpening() || isOneOf(m_out.back(), ",;:"))
            return;
        m_out += c;
    }

    void addAfterTrim(char c)
    {
        trimEnd(" ");
        if (c == '.' && !m_out.empty() && isOneOf(m_out.back(), ",;"))
            m_out.pop_back();
        m_out += c;
    }

    void trimEnd(string_view set)
    {
        while (!m_out.empty() && isOneOf(m_out.back(), set))
            m_out.pop_back();
    }

    std::string m_out;
    std::vector<std::size_t> m_brackets; ///< where the open ones stand in m_out
};

/// Two and more apostrophes are italics and bold; quotation marks around nothing are left-overs; a no-break
/// space is a space.
std::string plainQuotesAndBlanks(string_view text)
{
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto run = std::min(text.find_first_not_of('\'', i), text.size()) - i;
        if (text.substr(i, 2) == "\"\"") {
            i += 2;
        } else if (text.substr(i, 2) == kNoBreakSpace) {
            out += ' ';
            i += 2;
        } else if (run >= 2) {
            i += run;
        } else {
            out += text[i++];
        }
    }
    return out;
}

} // namespace

std::string tidy(string_view paragraph)
{
    return Tidier().run(plainQuotesAndBlanks(paragraph));
}

} // namespace trainyard
