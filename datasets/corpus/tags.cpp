#include "datasets/corpus/tags.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_map>
#include <vector>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

constexpr string_view kFootnote = "ref";
constexpr string_view kNoWiki = "nowiki";
constexpr std::size_t kLongestTag = 2000;         // bytes between "<" and ">"
constexpr std::size_t kLongestFootnote = 100'000; // a missing "</ref>" must not cost the article

/// Elements that go with their content.
constexpr string_view kDropped[]{"ref",
                                 "references",
                                 "math",
                                 "chem",
                                 "ce",
                                 "gallery",
                                 "timeline",
                                 "hiero",
                                 "score",
                                 "source",
                                 "syntaxhighlight",
                                 "pre",
                                 "imagemap",
                                 "graph",
                                 "mapframe",
                                 "maplink",
                                 "templatedata",
                                 "inputbox",
                                 "categorytree",
                                 "table",
                                 "style",
                                 "script",
                                 "includeonly",
                                 "noinclude",
                                 "indicator",
                                 "del",
                                 "strike",
                                 "templatestyles"};

constexpr string_view kLineBreaking[]{"br", "p",  "div", "blockquote", "poem", "li",     "ul",
                                      "ol", "hr", "dl",  "dd",         "dt",   "center", "section"};

struct Tag {
    std::string name; ///< lower case
    bool closing = false;
    bool selfClosing = false;
    std::size_t size = 0; ///< from "<" to ">"
};

/// The tag that starts at text[0] == '<', if one does.
std::optional<Tag> parseTag(string_view text)
{
    Tag tag;
    std::size_t at = 1;
    if (text.substr(at, 1) == "/") {
        tag.closing = true;
        ++at;
    }
    const std::size_t nameBegin = at;
    while (at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])))
        ++at;
    if (at == nameBegin || !std::isalpha(static_cast<unsigned char>(text[nameBegin])))
        return std::nullopt;
    if (string_view(" \t\n/>").find(text.substr(at, 1)) == string_view::npos)
        return std::nullopt; // "c<d, then 3 > 2"
    const auto end = text.substr(0, kLongestTag).find_first_of("<>", at);
    if (end == string_view::npos || text[end] != '>')
        return std::nullopt;
    tag.name = asciiLower(text.substr(nameBegin, at - nameBegin));
    tag.selfClosing = text[end - 1] == '/';
    tag.size = end + 1;
    return tag;
}

/// What an element covers behind its opening tag.
struct Content {
    std::size_t end;   ///< of the content
    std::size_t after; ///< behind the closing tag
};

/// Calls visit(position, tag) for every tag of the text.
template <typename Visit>
void forEachTag(string_view text, Visit visit)
{
    for (auto at = text.find('<'); at != string_view::npos; at = text.find('<', at + 1)) {
        if (const auto tag = parseTag(text.substr(at)))
            visit(at, *tag);
    }
}

/// Where the elements end that go with their content. Found in one pass, because a vandal's page may open a
/// hundred thousand that are never closed.
class ElementEnds {
public:
    explicit ElementEnds(string_view text)
    {
        std::unordered_map<std::string, std::vector<std::size_t>>
            begins; // of open elements' content, by name
        forEachTag(text, [&](std::size_t at, const Tag& tag) {
            if (tag.selfClosing || !(contains(kDropped, tag.name) || tag.name == kNoWiki))
                return;
            auto& open = begins[tag.name];
            if (!tag.closing) {
                open.push_back(at + tag.size);
            } else if (tag.name == kFootnote) { // they do not nest: every one that is open ends here
                for (const std::size_t begin : open)
                    m_ends.emplace(begin, Content{at, at + tag.size});
                open.clear();
            } else if (!open.empty()) {
                m_ends.emplace(open.back(), Content{at, at + tag.size});
                open.pop_back();
            }
        });
    }

    /// `begin` is the position behind the opening tag. Nothing when it is never closed.
    std::optional<Content> contentFrom(std::size_t begin) const
    {
        const auto found = m_ends.find(begin);
        return found == m_ends.end() ? std::nullopt : std::optional(found->second);
    }

private:
    std::unordered_map<std::size_t, Content> m_ends; ///< by begin of content
};

/// The next place where a mark stands, for questions that only go forwards.
class NextMark {
public:
    NextMark(string_view text, string_view mark) : m_text(text), m_mark(mark) {}

    /// At or behind `from`; the size of the text when there is none. `from` must not fall.
    std::size_t from(std::size_t from)
    {
        if (m_next < from || !m_looked) {
            m_next = std::min(m_text.find(m_mark, from), m_text.size());
            m_looked = true;
        }
        return m_next;
    }

private:
    string_view m_text;
    string_view m_mark;
    std::size_t m_next = 0;
    bool m_looked = false;
};

/// One pass over the text that leaves out elements with their content.
class ElementDropper {
public:
    explicit ElementDropper(string_view text)
        : m_text(text), m_ends(text), m_commentEnd(text, "-->"), m_heading(text, "\n==")
    {
    }

    std::string run()
    {
        std::string out;
        out.reserve(m_text.size());
        for (std::size_t at = 0; at < m_text.size();) {
            const std::size_t next = std::min(m_text.find('<', at), m_text.size());
            out.append(m_text.substr(at, next - at));
            at = next < m_text.size() ? pass(next, out) : next;
        }
        return out;
    }

private:
    /// Handles the element or tag at `at`; returns where the text goes on.
    std::size_t pass(std::size_t at, std::string& out)
    {
        if (m_text.substr(at).starts_with("<!--"))
            return passComment(at);
        const auto tag = parseTag(m_text.substr(at));
        const bool nowiki = tag && tag->name == kNoWiki;
        if (!tag || !(nowiki || contains(kDropped, tag->name))) {
            out += '<';
            return at + 1;
        }
        const std::size_t begin = at + tag->size;
        const auto content = tag->closing || tag->selfClosing ? std::nullopt : contentOf(*tag, begin);
        if (!content)
            return begin;
        if (nowiki)
            out += encodeAsEntities(m_text.substr(begin, content->end - begin));
        return content->after;
    }

    std::size_t passComment(std::size_t at)
    {
        const std::size_t end = m_commentEnd.from(at);
        return end == m_text.size() ? at + 4 : end + 3;
    }

    std::optional<Content> contentOf(const Tag& tag, std::size_t begin)
    {
        const auto content = m_ends.contentFrom(begin);
        if (!content || tag.name != kFootnote)
            return content;
        // A heading inside means that the closing tag belongs to a later footnote.
        if (content->end - begin > kLongestFootnote || m_heading.from(begin) < content->end)
            return std::nullopt;
        return content;
    }

    string_view m_text;
    ElementEnds m_ends;
    NextMark m_commentEnd;
    NextMark m_heading;
};

/// Removes the tag at text[0] == '<'; returns how many bytes of the input that covers.
std::size_t passTag(string_view text, std::string& out)
{
    const auto tag = parseTag(text);
    if (!tag) {
        out += '<';
        return 1;
    }
    if (contains(kLineBreaking, tag->name))
        out += '\n';
    return tag->size;
}

} // namespace

std::string dropElements(string_view markup)
{
    return ElementDropper(markup).run();
}

std::string dropTags(string_view markup)
{
    std::string out;
    out.reserve(markup.size());
    for (;;) {
        const auto at = markup.find('<');
        out.append(markup.substr(0, at));
        if (at == string_view::npos)
            return out;
        markup.remove_prefix(at);
        markup.remove_prefix(passTag(markup, out));
    }
}

} // namespace trainyard
