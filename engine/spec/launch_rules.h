#pragma once

#include <optional>
#include <string>

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What launch.slurm must keep to: Slurm's own names, whole minutes, a warning shorter than the time limit.
void checkSlurm(const SlurmSpec& slurm, Checker& check);

/// TCP ports, both ends included.
struct PortRange {
    int first = 0;
    int last = 0;
    int count() const { return last - first + 1; }
};

/// Returns the range that launch.ports writes, "20000-20063"; nullopt for anything else.
std::optional<PortRange> portRangeIn(const std::string& text);

/// What launch.network and launch.ports must keep to: a port for each rank of a host and one for MPI.
void checkNetwork(const RunSpec& spec, Checker& check);

/// What cluster.nodes must keep to: plain names, each host once; with Slurm the login host for every node.
void checkCluster(const RunSpec& spec, Checker& check);

} // namespace trainyard
