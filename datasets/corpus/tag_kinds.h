#pragma once

#include <cstdint>
#include <string_view>

namespace trainyard {

/// What an element of HTML or of an extension of MediaWiki means for running text.
enum class TagKind : std::uint8_t {
    Unknown,     ///< no element of either: the tag goes, what is inside stays
    Inline,      ///< the tag goes, what is inside stays
    Dropped,     ///< goes with its content
    Footnote,    ///< <ref>: dropped; it does not nest
    NoWiki,      ///< its content is text, whatever it looks like
    Code,        ///< dropped when it covers several lines, else inline
    Superscript, ///< <sup>
    LineBreak,   ///< a blank
    Block,       ///< begins and ends a line
    Paragraph,   ///< begins and ends a paragraph
    ListItem,
    Term, ///< of a definition list
    Definition,
};

/// `name` in lower case. Any thread.
TagKind tagKind(std::string_view name);

} // namespace trainyard
