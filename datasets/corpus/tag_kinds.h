#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/base/result.h"

namespace trainyard {

/// The meaning of an element of HTML, or of a MediaWiki extension, for running text.
enum class TagKind : std::uint8_t {
    Unknown,     ///< neither HTML nor MediaWiki: the tag is removed, its content stays
    Inline,      ///< the tag is removed, its content stays
    Dropped,     ///< removed with its content
    Footnote,    ///< <ref>: dropped; it does not nest
    NoWiki,      ///< its content is plain text
    Code,        ///< dropped if it covers several lines, else inline
    Superscript, ///< <sup>
    LineBreak,   ///< a blank
    Block,       ///< starts and ends a line
    Paragraph,   ///< starts and ends a paragraph
    ListItem,
    Term, ///< of a definition list
    Definition,
};

using TagKinds = std::unordered_map<std::string, TagKind>; ///< by name in lower case

/// Reads the names of each kind (resources/wiki/tags.json). BadInput for what parseNameList() refuses, for an
/// unknown kind and for a name that has a kind already.
Result<TagKinds> parseTagKinds(std::string_view json);

/// Looks `name`, in lower case, up in the list that is compiled in. Any thread.
TagKind tagKind(const std::string& name);

} // namespace trainyard
