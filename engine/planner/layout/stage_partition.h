#pragma once

#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// What the parts of a model cost, in any one unit: parameters, operations, seconds.
struct PartCosts {
    double embeddings = 0; ///< on the first stage
    std::vector<double> layers;
    double head = 0; ///< on the last stage
};

/// How the stages' devices differ, by stage; an empty list = not in this.
struct StageDevices {
    std::vector<double> slowness; ///< how many times as long as the fastest they take for the same parts
    std::vector<int> most;        ///< layers that they can hold
};

/// Layers of each stage, first stage first, so that the heaviest stage is as light as it can be; every stage
/// has a layer. Of several such partitions: the one with the smallest sum of squared loads, so that the other
/// stages are alike too, and then the one with fewer layers in front, where most activations are held. Exact
/// (dynamic programming over stages x layers^2). With several chunks per rank, `stages` counts all chunks.
/// Refused when there are fewer layers than stages, or more than the stages have room for. Requires
/// stages >= 1, costs of at least 0, and slowness above 0.
Result<std::vector<int>> partitionLayers(const PartCosts& costs, int stages,
                                         const StageDevices& devices = {});

/// Cost of each stage under a partition of all layers, on such devices.
std::vector<double> stageLoads(const PartCosts& costs, const std::vector<int>& layerCounts,
                               const StageDevices& devices = {});

} // namespace trainyard
