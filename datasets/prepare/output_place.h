#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

/// Returns the final location of the folder given by --out: absolute and with links resolved, as a link
/// cannot be replaced by a folder.
Result<std::filesystem::path> realPlace(const std::filesystem::path& path);

/// BadInput unless the location is free or an empty folder.
Status checkFree(const std::filesystem::path& place);

/// Creates the folder, or removes its content.
Status makeEmptyFolder(const std::filesystem::path& folder);

/// Removes a file that no note refers to, if it exists: the output of a killed process cannot be used.
Status removeUnnoted(const std::filesystem::path& file);

} // namespace trainyard
