#pragma once

#include <filesystem>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/verification/invariant.h"

namespace trainyard {

/// Invariant::Hashes for the files in additional formats that the manifest lists: each exists and has its
/// recorded bytes. Returns one violation per broken file.
std::vector<Violation> checkExports(const std::filesystem::path& folder, const Manifest& manifest);

} // namespace trainyard
