#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

/// Where the folder that --out names will lie: absolute, and where a link leads to, as a link cannot be
/// replaced by a folder.
Result<std::filesystem::path> realPlace(const std::filesystem::path& path);

/// BadInput when something is there that is more than an empty folder.
Status checkFree(const std::filesystem::path& place);

/// Makes the folder, or removes all that is in it.
Status makeEmptyFolder(const std::filesystem::path& folder);

/// Removes a file of which no note speaks, if it is there: what a killed process wrote of it is of no use.
Status removeUnnoted(const std::filesystem::path& file);

} // namespace trainyard
