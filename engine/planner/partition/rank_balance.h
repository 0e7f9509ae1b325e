#pragma once

#include <vector>

#include "engine/planner/layout/stage_partition.h"

namespace trainyard {

/// Where each of `ranks` pipeline ranks has several stages (stage s on rank s % ranks), what counts is their
/// sum: moves single layers from the rank that has most to others for as long as that makes the largest sum
/// smaller, or the sums more alike. Every stage keeps a layer and its room. A descent, not the best of all.
std::vector<int> balancedRanks(std::vector<int> layerCounts, int ranks, const PartCosts& costs,
                               const StageDevices& devices);

} // namespace trainyard
