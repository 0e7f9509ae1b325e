#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard::agent {

/// Slurm's description of one partition. nullopt = no limit.
struct Partition {
    std::string name;
    bool isDefault = false;
    bool isUp = true;
    int nodes = 0; ///< that it has, up or down
    std::optional<int> mostNodes;
    std::optional<std::chrono::minutes> mostTime;
    std::vector<int> gpus{}; ///< of each of its nodes that has any
};

/// Parses `scontrol show partition --oneliner`; skips other lines.
std::vector<Partition> parsePartitions(std::string_view text);

/// Returns the number of GPUs that Slurm's "gpu:a100:4(S:0-1),gpu:2,nic:1" names.
int gpusIn(std::string_view gres);
/// Adds the GPUs of the nodes from `sinfo --Node --format="%R %G"`: partition and generic resources, a line
/// for each node.
void addGpus(std::string_view text, std::vector<Partition>& partitions);

/// True when the job of this specification asks Slurm for a GPU per slot: launch.device "cuda" demands them,
/// and with "auto" a partition in question has enough nodes with as many.
bool requestsGpus(const std::vector<Partition>& partitions, const RunSpec& spec);

/// Parses Slurm's "MM", "MM:SS", "HH:MM:SS", "D-HH", "D-HH:MM" or "D-HH:MM:SS", seconds rounded up; nullopt
/// for "UNLIMITED" and for anything else.
std::optional<std::chrono::minutes> parseTimeLimit(std::string_view text);

/// Refused when none of the partitions of the specification (the default one when it names none) has enough
/// nodes, GPUs and time. Slurm would accept such a job and let it wait for ever.
Status checkPartitions(const std::vector<Partition>& partitions, const RunSpec& spec);

} // namespace trainyard::agent
