#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/field_info.h"

namespace trainyard {

/// How a field is written.
enum class FieldKind {
    Flag,     ///< true or false
    Integer,  ///< whole number
    Number,   ///< any number
    Size,     ///< text with a unit of bytes: "25 MiB"
    Duration, ///< text with a unit of time: "15 s"
    Text,
    Texts,     ///< list of texts
    Choice,    ///< one of a few texts
    Partition, ///< one of a few texts, or a list of whole numbers
    Section,   ///< object
    Override,  ///< object: some fields of the section of that name
    List,      ///< list of objects
};

/// A field of the specification, as it is said to people and to other programs.
struct ListedField {
    std::string path; ///< "layout.tensor"; below a list "cluster.nodes[].slots"
    FieldKind kind = FieldKind::Text;
    FieldInfo info;
    std::vector<std::string_view> choices{};
    std::string defaultJson{}; ///< as the file has it: "\"25 MiB\""; empty: none, or a section

    /// The last part of the path.
    std::string_view key() const;
    /// All before it: "layout", "cluster.nodes[]"; empty at the top level.
    std::string_view section() const;
};

/// Every field in the order of the file, a section before what is in it. Made once.
const std::vector<ListedField>& fieldList();

} // namespace trainyard
