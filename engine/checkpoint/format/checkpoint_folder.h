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

/// Removes what writers left that did not come to publish.
Status removeInterrupted(const std::filesystem::path& checkpoints);

/// Which checkpoints of the present line stay when a newer one is published.
struct KeptCheckpoints {
    int last = 0;  ///< the newest so many that are whole; 0 = all of them
    int every = 0; ///< besides, those of steps that this divides; 0 = none
};

/// Removes the checkpoints that are not to be kept. Those that `latest` names, that are damaged or that
/// belong to a line that was left stay, whatever their number.
Status removeOutdated(const std::filesystem::path& checkpoints, const KeptCheckpoints& kept);

/// Makes `latest` name the checkpoint that was published. A power cut may come between: what the run wrote
/// before is settled first, so that a name that a person has written is not mistaken for the run's.
Status beginPublication(const std::filesystem::path& checkpoints);
Status finishPublication(const std::filesystem::path& checkpoints, const std::string& name);

} // namespace trainyard
