#pragma once

#include <filesystem>
#include <vector>

#include "datasets/shards/manifest.h"
#include "datasets/verification/invariant.h"

namespace trainyard {

/// Invariant::Hashes for the files in further formats that the manifest lists: each is there and has the
/// bytes that were written. One violation per broken file.
std::vector<Violation> checkExports(const std::filesystem::path& folder, const Manifest& manifest);

} // namespace trainyard
