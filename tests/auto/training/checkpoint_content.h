#pragma once

#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// The bytes of every tensor of a checkpoint, weights and optimizer state, in the order of their names.
Result<std::string> contentOf(const std::filesystem::path& checkpoint);
/// Of the latest one of a run.
Result<std::string> latestContentOf(const std::filesystem::path& runDirectory);

} // namespace trainyard
