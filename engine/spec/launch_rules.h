#pragma once

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What launch.slurm must keep to: Slurm's own names, whole minutes, a warning shorter than the time limit.
void checkSlurm(const SlurmSpec& slurm, Checker& check);

/// What cluster.nodes must keep to: plain names, each host once; with Slurm the login host for every node.
void checkCluster(const RunSpec& spec, Checker& check);

} // namespace trainyard
