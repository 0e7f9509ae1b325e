#pragma once

#include <memory>

#include "datasets/shards/manifest.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/row_source.h"
#include "engine/training/data/step_loader.h"

namespace trainyard {

/// The data set of a run as this rank sees it.
struct TrainingData {
    Manifest manifest;
    RowSource rows;

    /// BadInput when the folder is not a data set, a shard is damaged, or the rows do not fit the model.
    static Result<TrainingData> open(const RunSpec& spec);
};

/// Starts reading at `position`.
std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position);

} // namespace trainyard
