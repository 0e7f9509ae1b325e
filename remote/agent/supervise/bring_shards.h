#pragma once

#include <filesystem>

#include "engine/base/result.h"

namespace trainyard::agent {

/// `trainyard-agent bring-shards`: copies the shards of a checkpoint that the manifest places on other hosts
/// and that this one lacks into the checkpoint's folder, from the hosts of the run's newest attempt, by the
/// way that mpirun takes. Then one process can read all of it. A shard appears when it is whole. Unreachable
/// naming shard and hosts when none gives it; Failed when the disk is full.
Status bringShards(const std::filesystem::path& checkpoint);

} // namespace trainyard::agent
