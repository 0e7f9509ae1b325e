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

/// Which checkpoints stay when a newer one is published.
struct KeptCheckpoints {
    int last = 0;  ///< the newest so many; 0 = all of them
    int every = 0; ///< besides, those of steps that this divides; 0 = none
};

/// Removes the published checkpoints that are not to be kept.
Status removeOutdated(const std::filesystem::path& checkpoints, const KeptCheckpoints& kept);

} // namespace trainyard
