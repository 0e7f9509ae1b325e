#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/records/fence.h"

namespace trainyard {

inline constexpr const char* kManifestName = "manifest.json";
inline constexpr const char* kHostName = "host"; ///< a file beside it, with `places`: this host's name there
inline constexpr const char* kLatestName = "latest"; ///< a file that holds the name of the newest checkpoint
inline constexpr const char* kBestName = "best";     ///< likewise of the best one by held-out evaluation

/// "step-000001200"
std::string checkpointFolderName(Step step);

/// Gives a complete checkpoint, whose files are synced, its final name in one instant; one that has it
/// already is removed.
Status publishFolder(const std::filesystem::path& staged, const std::filesystem::path& final);

/// Removes leftovers of writers that never published, and of removals, but for the folder `spared`.
Status removeInterrupted(const std::filesystem::path& checkpoints, const std::filesystem::path& spared = {});

/// Removes the shards that starts have brought from other hosts.
Status removeFetchedShards(const std::filesystem::path& checkpoints);

/// Which checkpoints of the present line are kept when a newer one is published.
struct KeptCheckpoints {
    int last = 0;  ///< number of newest complete ones; 0 = all of them
    int every = 0; ///< also those at multiples of this step; 0 = none
};

/// The checkpoints that are not outdated. Those that `latest` or `best` names, that are not complete or that
/// belong to an abandoned line are kept, whatever their number.
Result<std::vector<CheckpointName>> keptNames(const std::filesystem::path& checkpoints,
                                              const KeptCheckpoints& kept,
                                              const std::function<bool(const CheckpointName&)>& isComplete);

/// Removes the checkpoints of the present line that are not among `listed`, and older than the newest that
/// is. Refused once a newer attempt has begun.
Status removeUnlisted(const std::filesystem::path& checkpoints, const std::vector<CheckpointName>& listed,
                      const Fence& fence);

/// Both, of one folder that has all.
Status removeOutdated(const std::filesystem::path& checkpoints, const KeptCheckpoints& kept,
                      const Fence& fence);

/// Makes `latest` name the checkpoint that was published. A power cut may come between: what the run wrote
/// before is settled first, so that a name that a person has written is not mistaken for the run's.
Status beginPublication(const std::filesystem::path& checkpoints);
Status finishPublication(const std::filesystem::path& checkpoints, const std::string& name);

/// Makes `best` name a checkpoint whose folder has its name.
Status markAsBest(const std::filesystem::path& checkpoints, const std::string& name);

} // namespace trainyard
