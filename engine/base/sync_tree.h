#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard {

/// fsync of a file, or of a folder and everything in it, contents first.
Status syncTree(const std::filesystem::path& path);

} // namespace trainyard
