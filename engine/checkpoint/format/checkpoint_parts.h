#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/checkpoint/format/checkpoint_health.h"

namespace trainyard {

/// What one host's folder has of a checkpoint whose shards are on the disks of several hosts.
struct CheckpointParts {
    std::string manifest{};           ///< XXH3-64 of the manifest: which checkpoint it is, whatever its name
    std::vector<bool> here{};         ///< by shard in the order of names: whole in this folder
    std::vector<std::string> hosts{}; ///< that its shards were written on
    CheckpointHealth
        health{}; ///< as far as this folder tells; verified: what is here was compared with its hashes
};

/// As verifyContent(), for each shard by itself. nullopt when the manifest cannot be read, or names no other
/// hosts: then one folder has all.
std::optional<CheckpointParts> examineParts(const std::filesystem::path& folder,
                                            const std::function<bool()>& goesOn);

} // namespace trainyard
