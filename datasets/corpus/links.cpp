#include "datasets/corpus/links.h"

#include <algorithm>
#include <vector>

#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

bool startsUrl(string_view text)
{
    static constexpr string_view schemes[]{"http://", "https://", "//",     "ftp://", "ftps://",   "mailto:",
                                           "irc://",  "news:",    "git://", "tel:",   "gopher://", "sftp://"};
    return std::any_of(std::begin(schemes), std::end(schemes),
                       [&](string_view scheme) { return startsWithIgnoringCase(text, scheme); });
}

/// Returns the label after the address of an external link; empty if there is none.
string_view urlLabel(string_view link)
{
    const auto blank = link.find_first_of(" \t|<");
    return blank == string_view::npos ? string_view() : trimmed(link.substr(blank + (link[blank] != '<')));
}

/// A link target with the prefix that decides which part of it is shown.
struct Target {
    string_view shown; ///< without prefixes of other wikis
    LinkPrefix prefix = LinkPrefix::None;
};

/// "de:wikt:Haus" has several prefixes; the last one of another wiki and the rest count.
Target parseTarget(string_view target, const MarkupSettings& settings)
{
    Target parsed{target};
    for (;;) {
        const auto colon = parsed.shown.find(':');
        const LinkPrefix prefix = colon == string_view::npos || colon == 0
                                      ? LinkPrefix::None
                                      : settings.prefix(parsed.shown.substr(0, colon));
        if (prefix == LinkPrefix::None)
            return parsed;
        if (parsed.prefix != LinkPrefix::Language)
            parsed.prefix = prefix;
        if (prefix == LinkPrefix::Hidden || prefix == LinkPrefix::Other)
            return parsed;
        parsed.shown = trimmed(parsed.shown.substr(colon + 1));
    }
}

string_view withoutAnchor(string_view target)
{
    const auto anchor = target.find('#');
    return anchor == 0 || anchor == string_view::npos ? target : target.substr(0, anchor);
}

/// "[[Rome (city)|]]" shows "Rome".
string_view withoutQualifier(string_view target)
{
    const auto bracket = target.ends_with(')') ? target.rfind(" (") : string_view::npos;
    return bracket == string_view::npos ? target : target.substr(0, bracket);
}

/// What is shown of a target without label. `quoted`: [[:Category:X]] shows a link instead of filing the
/// page.
string_view targetText(const Target& target, bool quoted)
{
    if (target.prefix == LinkPrefix::Other && !quoted)
        return {};
    return withoutAnchor(target.shown);
}

bool isHidden(LinkPrefix prefix)
{
    return prefix == LinkPrefix::Hidden || prefix == LinkPrefix::Language;
}

/// The part of "target|label" that a reader sees.
std::string linkText(string_view link, const MarkupSettings& settings)
{
    if (startsUrl(link)) // [[http://... label]]
        return std::string(urlLabel(link));
    const auto bar = link.find('|');
    string_view written = trimmed(link.substr(0, bar));
    const string_view label = bar == string_view::npos ? string_view() : trimmed(link.substr(bar + 1));
    const bool quoted = written.starts_with(':');
    if (quoted)
        written = trimmed(written.substr(1));
    const Target target = parseTarget(written, settings);
    if (!quoted && isHidden(target.prefix))
        return {};
    if (!label.empty())
        return std::string(label);
    const string_view text = targetText(target, quoted);
    return std::string(bar == string_view::npos ? text : withoutQualifier(text));
}

/// One pass with a stack of the links that are open. The text of each gathers in its own buffer, so that a
/// link inside a caption is already replaced when the caption ends.
class LinkReplacer {
public:
    LinkReplacer(string_view markup, const MarkupSettings& settings) : m_markup(markup), m_settings(settings)
    {
        m_open.emplace_back();
        m_open.back().text.reserve(markup.size());
    }

    std::string run()
    {
        while (m_at < m_markup.size())
            step();
        abandonBehind(0);
        return std::move(m_open.front().text);
    }

private:
    struct Open {
        std::string text;
        std::size_t brackets = 0; ///< single ones that are open in it
    };

    void step()
    {
        static constexpr ByteSet brackets("[]");
        static constexpr ByteSet inLink("[]\n");
        const ByteSet& marks = m_open.size() > 1 ? inLink : brackets;
        take(marks.find(m_markup, m_at) - m_at);
        if (m_at == m_markup.size())
            return;
        if (m_markup[m_at] == '\n')
            newLine();
        else if (m_markup[m_at] == '[')
            opening();
        else
            closing();
    }

    void opening()
    {
        const string_view rest = m_markup.substr(m_at);
        if (rest.starts_with("[[") && !rest.starts_with("[[[")) {
            m_open.emplace_back();
            m_at += 2;
        } else {
            ++m_open.back().brackets;
            take(1);
        }
    }

    void closing()
    {
        std::size_t& brackets = m_open.back().brackets;
        const string_view rest = m_markup.substr(m_at);
        const bool pair = rest.starts_with("]]");
        if (!pair || (brackets > 0 && rest.starts_with("]]]"))) { // "[[File:a|[http://x y]]]"
            brackets -= brackets > 0;
            take(1);
            return;
        }
        m_at += 2;
        if (m_open.size() > 1) {
            close(linkText(m_open.back().text, m_settings));
        } else { // "[http://x [y]]"
            const std::size_t single = std::min<std::size_t>(brackets, 2);
            brackets -= single;
            m_open.back().text.append(single, ']');
        }
    }

    /// The innermost link is done and leaves `text`.
    void close(string_view text)
    {
        const std::string kept(text);
        m_open.pop_back();
        m_open.back().text += kept;
    }

    /// A link ends with its paragraph at the latest, a picture with its section.
    void newLine()
    {
        const string_view rest = m_markup.substr(m_at);
        if (rest.starts_with("\n=="))
            abandonBehind(0);
        else if (rest.starts_with("\n\n"))
            abandonBehind(innermostPicture());
        take(1);
    }

    /// 0 if none is open.
    std::size_t innermostPicture() const
    {
        std::size_t at = m_open.size() - 1;
        while (at > 0 && !isPicture(m_open[at].text))
            --at;
        return at;
    }

    bool isPicture(string_view link) const
    {
        return parseTarget(trimmed(link.substr(0, link.find('|'))), m_settings).prefix == LinkPrefix::Hidden;
    }

    /// Gives up the links after `last`, which have no end, and keeps their text.
    void abandonBehind(std::size_t last)
    {
        for (std::size_t i = last + 1; i < m_open.size(); ++i)
            m_open[last].text += unclosedText(m_open[i].text);
        m_open.resize(last + 1);
    }

    /// Keeps the label; of a picture only the lines after the first.
    string_view unclosedText(string_view text) const
    {
        const std::size_t line = std::min(text.find('\n'), text.size());
        if (isPicture(text))
            return text.substr(line);
        const auto bar = text.substr(0, line).find('|');
        return text.substr(bar == string_view::npos ? 0 : bar + 1);
    }

    void take(std::size_t size)
    {
        m_open.back().text.append(m_markup.substr(m_at, size));
        m_at += size;
    }

    string_view m_markup;
    const MarkupSettings& m_settings;
    std::vector<Open> m_open; ///< innermost last; [0] is the text itself
    std::size_t m_at = 0;
};

/// [http://... label] leaves its label. Other brackets are text.
std::string replaceExternal(string_view text)
{
    std::string out;
    out.reserve(text.size());
    std::size_t end = 0; // of the link at hand: the next "]" or line end, looked for once for all before it
    for (std::size_t at = 0;;) {
        const auto bracket = text.find('[', at);
        out.append(text.substr(at, bracket - at));
        if (bracket == string_view::npos)
            return out;
        at = bracket + 1;
        if (end < at)
            end = std::min(text.find_first_of("]\n", at), text.size());
        if (!startsUrl(text.substr(at)) || end == text.size() || text[end] != ']') {
            out += '[';
            continue;
        }
        out.append(urlLabel(text.substr(at, end - at)));
        at = end + 1;
    }
}

} // namespace

std::string replaceLinks(string_view markup, const MarkupSettings& settings)
{
    return replaceExternal(LinkReplacer(markup, settings).run());
}

} // namespace trainyard
