#pragma once

#include <optional>
#include <vector>

#include "engine/planner/partition/stage_times.h"

namespace trainyard {

/// One way to deal a run's layers to its stages.
struct StageDivision {
    /// The balanced quantity; nullopt = the seconds of the stages, each on its own nodes.
    std::optional<PartitionKind> kind;
    std::vector<int> layerCounts; ///< of each stage, first stage first
    double step = 0;              ///< seconds, simulated
    Bytes onDevice = 0;           ///< of the rank whose device holds most
    bool fits = false;            ///< every rank its hosts (memory_fit.h)
};

/// Layers of each stage so that the stage that takes longest takes as little as it can and every rank fits
/// its hosts: partitionLayers() by the stages' seconds, with less room for who does not fit until all do.
/// Exact for one chunk per rank; of several, ranks are balanced where that is faster (rank_balance.h), and
/// the longest of one that has no room is shortened. `measured`: as timeStages() has it. Refused when no
/// number of layers fits; errors as StepModel::create().
Result<std::vector<int>> layersByTime(const RunSpec& spec, const SequenceShape& shape,
                                      const std::vector<PipelineNode>& nodes,
                                      const std::optional<PartCosts>& measured = {});

/// The specification with these layers: by hand, but for those that "layers" gives anyway.
RunSpec withLayers(const RunSpec& spec, const SequenceShape& shape, const std::vector<int>& layerCounts);

/// By time, layers, parameters and operations, and as asked by hand; what fits first, then the fastest. Of
/// the same layers one way alone. Errors as StepModel::create(), also where only the stages cannot be.
Result<std::vector<StageDivision>> divideStages(const RunSpec& spec, const SequenceShape& shape,
                                                const std::vector<PipelineNode>& nodes,
                                                const std::optional<PartCosts>& measured = {});

} // namespace trainyard
