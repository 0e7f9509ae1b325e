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
};

/// Parses `scontrol show partition --oneliner`; skips other lines.
std::vector<Partition> parsePartitions(std::string_view text);

/// Parses Slurm's "MM", "MM:SS", "HH:MM:SS", "D-HH", "D-HH:MM" or "D-HH:MM:SS", seconds rounded up; nullopt
/// for "UNLIMITED" and for anything else.
std::optional<std::chrono::minutes> parseTimeLimit(std::string_view text);

/// Refused when none of the partitions of the specification (the default one when it names none) has enough
/// nodes and time. Slurm would accept such a job and let it wait for ever.
Status checkPartitions(const std::vector<Partition>& partitions, const RunSpec& spec);

} // namespace trainyard::agent
