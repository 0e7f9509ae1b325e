#pragma once

#include <memory>
#include <optional>

#include "datasets/shards/manifest.h"
#include "engine/base/result.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/held_out_rows.h"
#include "engine/training/data/row_source.h"
#include "engine/training/data/step_loader.h"

namespace trainyard {

/// What a specification has to agree with in the data set of this manifest.
DataSetShape dataSetShape(const Manifest& manifest);

/// The data set of a run as this rank sees it.
struct TrainingData {
    Manifest manifest;
    RowSource rows;
    std::optional<HeldOutRows> heldOut; ///< nullopt: the run does not evaluate

    /// BadInput when the folder is not a data set, a shard is damaged, the rows do not fit the model, or rows
    /// to evaluate on are missing where the specification asks for them.
    static Result<TrainingData> open(const RunSpec& spec);
};

/// Starts reading at `position`.
std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position);

} // namespace trainyard
