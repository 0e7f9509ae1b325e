#include "datasets/corpus/tag_kinds.h"

#include "datasets/corpus/name_lists.h"

namespace trainyard {

namespace {

/// The keys of resources/wiki/tags.json.
const std::unordered_map<std::string_view, TagKind> kTagKinds{
    {"inline", TagKind::Inline},        {"dropped", TagKind::Dropped}, {"footnote", TagKind::Footnote},
    {"no_wiki", TagKind::NoWiki},       {"code", TagKind::Code},       {"superscript", TagKind::Superscript},
    {"line_break", TagKind::LineBreak}, {"block", TagKind::Block},     {"paragraph", TagKind::Paragraph},
    {"list_item", TagKind::ListItem},   {"term", TagKind::Term},       {"definition", TagKind::Definition}};

} // namespace

Result<TagKinds> parseTagKinds(std::string_view json)
{
    TRAINYARD_TRY(const auto names, parseNameList(json));
    TagKinds kinds;
    for (const ListedName& listed : names) {
        const auto kind = kTagKinds.find(listed.keys.front());
        if (kind == kTagKinds.end() || listed.keys.size() != 1)
            return listed.problem("unknown kind");
        if (!kinds.emplace(listed.name, kind->second).second)
            return listed.problem("has a kind already");
    }
    return kinds;
}

TagKind tagKind(const std::string& name)
{
    static const TagKinds kinds = parseTagKinds(embeddedNameList("tags")).value();
    const auto found = kinds.find(name);
    return found == kinds.end() ? TagKind::Unknown : found->second;
}

} // namespace trainyard
