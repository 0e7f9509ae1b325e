#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/ids.h"
#include "engine/base/result.h"

namespace trainyard {

inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kLatestName = "latest"; ///< a file that holds the name of the newest checkpoint

/// "step-000001200"
std::string checkpointFolderName(Step step);

/// The folder that `checkpoints/latest` names; nothing when there is no checkpoint yet. BadInput when it
/// names something that is not there.
Result<std::optional<std::filesystem::path>> latestCheckpoint(const std::filesystem::path& checkpoints);

/// Removes what writers left that did not come to publish.
Status removeInterrupted(const std::filesystem::path& checkpoints);

/// Removes published checkpoints but the `keep` newest (>= 1).
Status removeAllButNewest(const std::filesystem::path& checkpoints, int keep);

} // namespace trainyard
