#pragma once

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What launch.* must keep to.
void checkLaunch(const LaunchSpec& launch, Checker& check);

/// What cluster.nodes must keep to: plain names, each host once; with Slurm the login host for every node.
void checkCluster(const RunSpec& spec, Checker& check);

} // namespace trainyard
