#pragma once

#include "engine/planner/layout/shape.h"
#include "engine/planner/layout/stage_partition.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Every layer costs 1; embeddings and head cost half of one, so that their stages are the shorter ones where
/// the layers do not divide evenly.
PartCosts layerCosts(const ModelSpec& model);

/// Parameters that each part holds. The head holds a copy of the word embeddings, unless it is on their
/// stage.
PartCosts parameterCosts(const ModelSpec& model);

/// Multiplications and additions in the matrix products of one sequence's forward pass (Korthikanti et al.,
/// arXiv:2205.05198, appendix A); the backward pass has twice as many everywhere.
PartCosts operationCosts(const ModelSpec& model, const SequenceShape& shape);

/// Layers of each stage of a run, first stage first, as spec.layout.partition asks; `shape` weighs "cost" by
/// operationCosts(). Every rank of a run gets the same answer. Measured costs go through partitionLayers()
/// into the specification, as a partition by hand. Refused as pipelineProblems() says.
Result<std::vector<int>> layersPerStage(const RunSpec& spec, const SequenceShape& shape);

} // namespace trainyard
