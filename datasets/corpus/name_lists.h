#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// A string in a JSON file of resources/wiki and the keys that lead to it: "ndash" in
/// {"literal": {"–": ["ndash"]}} has the keys "literal" and "–".
struct ListedName {
    std::vector<std::string> keys;
    std::string name;

    bool isAt(std::string_view key, std::size_t depth) const
    {
        return keys.size() == depth && keys.front() == key;
    }
    /// BadInput: `literal.–: "ndash": <problem>`.
    Error problem(std::string_view text) const;
};

/// Returns all strings of a JSON text made of objects, arrays and strings. BadInput for damaged JSON, a key
/// that occurs twice in an object, an empty name and any other kind of value.
Result<std::vector<ListedName>> parseNameList(std::string_view json);

/// Returns resources/wiki/<name>.json, which is compiled in. Requires that the file exists.
std::string_view embeddedNameList(std::string_view name);

/// Returns the names below a first key of such a file: those of all languages of {"hidden": {"German":
/// ["datei"], ...}}.
std::vector<std::string> embeddedNames(std::string_view list, std::string_view key);

} // namespace trainyard
