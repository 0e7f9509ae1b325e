#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard::agent {

/// What Slurm says of one partition. Nothing = no limit.
struct Partition {
    std::string name;
    bool isDefault = false;
    bool isUp = true;
    int nodes = 0; ///< that it has, up or down
    std::optional<int> mostNodes;
    std::optional<std::chrono::minutes> mostTime;
};

/// Reads `scontrol show partition --oneliner`; lines that are none are left out.
std::vector<Partition> parsePartitions(std::string_view text);

/// Slurm's "MM", "MM:SS", "HH:MM:SS", "D-HH", "D-HH:MM" or "D-HH:MM:SS", seconds rounded up; nothing for
/// "UNLIMITED" and what is no time.
std::optional<std::chrono::minutes> parseTimeLimit(std::string_view text);

/// Refused when none of the partitions that the specification means (the default one when it names none) has
/// so many nodes or so much time. Slurm would take such a job and let it wait for ever.
Status checkPartitions(const std::vector<Partition>& partitions, const RunSpec& spec);

} // namespace trainyard::agent
