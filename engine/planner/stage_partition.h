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

/// Layers of each stage, first stage first, so that the heaviest stage is as light as it can be; every stage
/// has a layer. Of several such partitions: the one with the smallest sum of squared loads, so that the other
/// stages are alike too, and then the one with fewer layers in front, where most activations are held. Exact
/// (dynamic programming over stages x layers^2). With several chunks per rank, `stages` counts all chunks.
/// Refused when there are fewer layers than stages. Requires stages >= 1 and costs of at least 0.
Result<std::vector<int>> partitionLayers(const PartCosts& costs, int stages);

/// Cost of each stage under a partition of all layers.
std::vector<double> stageLoads(const PartCosts& costs, const std::vector<int>& layerCounts);

} // namespace trainyard
