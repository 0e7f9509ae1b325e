#include "datasets/corpus/tags.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "datasets/corpus/entities.h"
#include "datasets/corpus/text_scan.h"

namespace trainyard {

namespace {

using std::string_view;

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

/// Where the content that follows an opening tag ends, and where the text after the closing tag begins.
struct Content {
    std::size_t end;
    std::size_t after;
};

std::optional<Content> findClosing(string_view text, const std::string& name)
{
    int depth = 1;
    for (auto at = text.find('<'); at != string_view::npos; at = text.find('<', at + 1)) {
        const auto tag = parseTag(text.substr(at));
        if (!tag || tag->name != name || tag->selfClosing)
            continue;
        depth += tag->closing ? -1 : 1;
        if (depth == 0 || (tag->closing && name == "ref"))
            return Content{at, at + tag->size};
    }
    return std::nullopt;
}

std::optional<Content> findContent(string_view text, const Tag& tag)
{
    const auto content =
        findClosing(text.substr(0, tag.name == "ref" ? kLongestFootnote : text.size()), tag.name);
    // A heading inside means that the closing tag belongs to a later footnote.
    if (content && tag.name == "ref" && text.substr(0, content->end).find("\n==") != string_view::npos)
        return std::nullopt;
    return content;
}

std::size_t skipComment(string_view text)
{
    const auto end = text.find("-->");
    return end == string_view::npos ? 4 : end + 3;
}

/// Handles the element or tag at text[0] == '<'; returns how many bytes of the input it covers.
std::size_t passElement(string_view text, std::string& out)
{
    if (text.starts_with("<!--"))
        return skipComment(text);
    const auto tag = parseTag(text);
    const bool nowiki = tag && tag->name == "nowiki";
    if (!tag || !(nowiki || contains(kDropped, tag->name))) {
        out += '<';
        return 1;
    }
    if (tag->closing || tag->selfClosing)
        return tag->size;
    const auto content = findContent(text.substr(tag->size), *tag);
    if (!content)
        return tag->size;
    if (nowiki)
        out += encodeAsEntities(text.substr(tag->size, content->end));
    return tag->size + content->after;
}

/// Calls pass(rest, out) at every '<'; it returns how much it took.
template <typename Pass>
std::string overTags(string_view text, Pass pass)
{
    std::string out;
    out.reserve(text.size());
    for (;;) {
        const auto at = text.find('<');
        out.append(text.substr(0, at));
        if (at == string_view::npos)
            return out;
        text.remove_prefix(at);
        text.remove_prefix(pass(text, out));
    }
}

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
    return overTags(markup, passElement);
}

std::string dropTags(string_view markup)
{
    return overTags(markup, passTag);
}

} // namespace trainyard
