#include "datasets/corpus/tag_kinds.h"

#include <unordered_map>

namespace trainyard {

namespace {

using Kinds = std::unordered_map<std::string_view, TagKind>;

Kinds makeKinds()
{
    const struct {
        TagKind kind;
        std::initializer_list<std::string_view> names;
    } rows[]{
        {TagKind::Dropped,
         {"references",
          "math",
          "chem",
          "ce",
          "gallery",
          "timeline",
          "hiero",
          "score",
          "source",
          "pre",
          "imagemap",
          "graph",
          "syntaxhighlight",
          "mapframe",
          "maplink",
          "inputbox",
          "templatedata",
          "categorytree",
          "table",
          "style",
          "script",
          "rt",
          "includeonly",
          "rp",
          "templatestyles",
          "indicator",
          "section",
          "phonos",
          "listen",
          "ogg",
          "del",
          "strike",
          "s",
          "quiz",
          "rss",
          "poll",
          "videoflash",
          "youtube",
          "googlemap",
          "iframe",
          "infobox",
          "tabber",
          "tabview",
          "verbatim",
          "dynamicpagelist",
          "dpl",
          "choose",
          "randomimage",
          "languages",
          "tvar",
          "charinsert",
          "charts"}},
        {TagKind::Footnote, {"ref"}},
        {TagKind::NoWiki, {"nowiki"}},
        {TagKind::Code, {"code", "tt", "samp", "kbd"}},
        {TagKind::Superscript, {"sup"}},
        {TagKind::LineBreak, {"br"}},
        {TagKind::Block,
         {"div", "blockquote", "poem", "ul", "ol", "dl", "hr", "center", "caption", "tr", "td", "th", "h1",
          "h2", "h3", "h4", "h5", "h6"}},
        {TagKind::Paragraph, {"p"}},
        {TagKind::ListItem, {"li"}},
        {TagKind::Term, {"dt"}},
        {TagKind::Definition, {"dd"}},
        {TagKind::Inline,
         {"b",           "i",         "u",   "em",   "strong", "small", "big",  "sub", "span", "font",
          "abbr",        "cite",      "q",   "var",  "ruby",   "rb",    "bdi",  "bdo", "ins",  "a",
          "onlyinclude", "noinclude", "dfn", "mark", "wbr",    "time",  "data", "img", "html", "body"}},
    };
    Kinds map;
    for (const auto& [kind, names] : rows) {
        for (const std::string_view name : names)
            map.emplace(name, kind);
    }
    return map;
}

} // namespace

TagKind tagKind(std::string_view name)
{
    static const Kinds kinds = makeKinds();
    const auto found = kinds.find(name);
    return found == kinds.end() ? TagKind::Unknown : found->second;
}

} // namespace trainyard
