#include "datasets/input/page_scanner.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "datasets/input/escapes.h"
#include "datasets/input/text_lines.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxMarkup = std::string_view("</mediawiki>").size();
constexpr std::size_t kPageHead = 1024; ///< title and id are among the first bytes of a page

/// "<page" opens a page, "<pages" does not.
bool isTag(std::string_view bytes, std::string_view tag)
{
    return bytes.starts_with(tag) && bytes.size() > tag.size() &&
           std::string_view(" \t\r\n>/").find(bytes[tag.size()]) != std::string_view::npos;
}

std::string_view between(std::string_view text, std::string_view open, std::string_view close)
{
    const std::size_t begin = text.find(open);
    if (begin == std::string_view::npos)
        return {};
    text.remove_prefix(begin + open.size());
    return text.substr(0, text.find(close));
}

} // namespace

std::string afterPage(std::string_view page)
{
    return fmt::format("after page {} \"{}\"", between(page, "<id>", "</id>"),
                       withoutEscapes(between(page, "<title>", "</title>")));
}

std::string PageScanner::position() const
{
    return m_lastPage.empty() ? std::string() : afterPage(m_lastPage);
}

std::size_t PageScanner::release()
{
    m_pageBegin = 0;
    return std::exchange(m_at, 0);
}

Result<std::optional<std::size_t>> PageScanner::findEnd(std::string_view bytes, bool last)
{
    for (;;) {
        TRAINYARD_TRY(const Step step, m_closed ? passClosedDump(bytes) : passMarkup(bytes));
        if (step == Step::PageEnd) {
            m_lastPage = bytes.substr(m_pageBegin, std::min(kPageHead, m_at - m_pageBegin));
            m_inPage = false;
            m_pageBegin = 0;
            return std::optional(std::exchange(m_at, 0));
        }
        if (step == Step::Passed)
            continue;
        if (last && !m_closed)
            return badInput("the XML ends unexpectedly", "the dump is truncated; fetch it again");
        return std::optional<std::size_t>();
    }
}

/// Skips the text up to the next '<' and the construct that starts there.
Result<PageScanner::Step> PageScanner::passMarkup(std::string_view bytes)
{
    m_at = std::min(bytes.find('<', m_at), bytes.size());
    const std::string_view rest = bytes.substr(m_at);
    if (rest.size() < kMaxMarkup)
        return Step::NeedsMore;
    if (rest.starts_with("<!--"))
        return passUntil(bytes, "-->");
    if (rest.starts_with("<![CDATA["))
        return passUntil(bytes, "]]>");
    if (rest.starts_with("<?"))
        return passUntil(bytes, "?>");
    if (isTag(rest, "<page") || isTag(rest, "</page"))
        return passPageTag(bytes);
    if (rest.starts_with("</mediawiki")) {
        if (m_inPage)
            return badInput("the XML is damaged: the dump ends inside a page", "fetch the dump again");
        m_closed = true;
        const Step step = passUntil(bytes, ">");
        m_closed = step == Step::Passed;
        return step;
    }
    ++m_at;
    return Step::Passed;
}

PageScanner::Step PageScanner::passUntil(std::string_view bytes, std::string_view end)
{
    const std::size_t found = bytes.find(end, m_at + 2);
    if (found == std::string_view::npos)
        return Step::NeedsMore;
    m_at = found + end.size();
    return Step::Passed;
}

PageScanner::Step PageScanner::passPageTag(std::string_view bytes)
{
    const std::size_t begin = m_at;
    const bool closes = bytes[begin + 1] == '/';
    if (passUntil(bytes, ">") == Step::NeedsMore)
        return Step::NeedsMore;
    if (!closes) {
        m_inPage = true;
        m_pageBegin = begin;
    }
    return closes || bytes[m_at - 2] == '/' ? Step::PageEnd : Step::Passed;
}

/// After </mediawiki> only blanks, comments and processing instructions are XML.
Result<PageScanner::Step> PageScanner::passClosedDump(std::string_view bytes)
{
    m_at = std::min(bytes.find_first_not_of(" \t\r\n", m_at), bytes.size());
    const std::string_view rest = bytes.substr(m_at);
    if (rest.size() < 4 && std::string_view("<!--").starts_with(rest))
        return Step::NeedsMore;
    if (rest.starts_with("<!--"))
        return passUntil(bytes, "-->");
    if (rest.starts_with("<?"))
        return passUntil(bytes, "?>");
    return badInput("the XML is damaged: there is text after </mediawiki>",
                    "pass each dump as a separate file");
}

} // namespace trainyard
