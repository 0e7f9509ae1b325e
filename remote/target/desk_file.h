#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "engine/base/result.h"

namespace trainyard {

// What the desk keeps for itself (hosts.json, datasets.json, alerts.json, design.json, hardware/<name>.json),
// by one rule:
//  - No file: as made.
//  - Wrong content (empty, cut, no JSON, of another form): BadInput, which names file, place and fix. What is
//    written in its place first sets it aside as "<name>.damaged-<time>", so that nothing in it is lost.
//  - Of a newer version, or not to be read (rights, a folder of that name, a failing disk): Refused. It may
//    well be whole, so nothing is written in its place.

/// The text of such a file; nothing where there is none. Refused when it cannot be read.
Result<std::optional<std::string>> deskFileText(const std::filesystem::path& file);

/// The object in such a text. BadInput when it is damaged, Refused when its "version" is above `newest`;
/// without one it is of version 1.
Result<nlohmann::json> parseDeskJson(std::string_view text, int newest);

/// As the user reads of it: with the file's name, and with what may be done about a damaged one.
Error inDeskFile(const Error& error, const std::filesystem::path& file);

/// Sets a damaged file aside and gives its new name, "<name>.damaged-20261125T205208Z".
Result<std::filesystem::path> setAside(const std::filesystem::path& file);

/// Writes the file, whose folder is made, in the place of what is there now, of which `present` says what
/// reading it came to.
Status replaceDeskFile(const std::filesystem::path& file, std::string_view content, const Status& present);

/// What `parse` makes of the file, `asMade` where there is none.
template <typename Value>
Result<Value> readDeskFile(const std::filesystem::path& file, Result<Value> (*parse)(std::string_view),
                           Value asMade = {})
{
    TRAINYARD_TRY(const std::optional<std::string> text, deskFileText(file));
    if (!text)
        return asMade;
    Result<Value> value = parse(*text);
    return value.ok() ? std::move(value) : Result<Value>(inDeskFile(value.error(), file));
}

/// As replaceDeskFile(); `parse` reads what is there now.
template <typename Value>
Status writeDeskFile(const std::filesystem::path& file, std::string_view content,
                     Result<Value> (*parse)(std::string_view))
{
    const Result<Value> present = readDeskFile<Value>(file, parse);
    return replaceDeskFile(file, content, present.ok() ? Status() : Status(present.error()));
}

} // namespace trainyard
