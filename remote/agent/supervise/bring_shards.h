#pragma once

#include <chrono>
#include <filesystem>

#include "engine/base/result.h"

namespace trainyard::agent {

/// `trainyard-agent bring-shards`: copies the shards of a checkpoint that the manifest places on other hosts
/// too and that are missing or cut off here into the checkpoint's folder, from the hosts of the run's newest
/// attempt, by the way that mpirun takes. Then one process can read all of it. A shard appears when every
/// byte was compared with its hash; a host that gives a wrong one, or nothing for `patience`, is passed over.
/// Unreachable naming shard, hosts and their reasons when none gives it; Failed when the disk is full.
Status bringShards(const std::filesystem::path& checkpoint,
                   std::chrono::milliseconds patience = std::chrono::minutes(2));

} // namespace trainyard::agent
