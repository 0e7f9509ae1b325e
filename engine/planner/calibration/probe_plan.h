#pragma once

#include <vector>

#include "engine/planner/calibration/probe.h"

namespace trainyard {

/// Plans the measurements that probedNode() needs: 16 to 32 probes, each small enough for a rank's device.
/// Products of the specification's type have the shapes of its model, as far as these are large enough to
/// show more than a kernel's own time, in as many rows as take a fraction of a second; of each other type
/// there is one. Collectives within hosts and between them where there are several ranks and several hosts.
std::vector<Probe> plannedProbes(const RunSpec& spec, const ProbedHardware& hardware);

} // namespace trainyard
