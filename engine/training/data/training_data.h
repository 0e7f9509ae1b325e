#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

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

/// The data sets of a run as this rank sees them: one, or those of a mix.
struct TrainingData {
    std::vector<Manifest> manifests;    ///< one for each of dataset.sets()
    std::vector<RowSource> rows;        ///< likewise
    std::optional<HeldOutRows> heldOut; ///< nullopt: the run does not evaluate

    /// BadInput when a folder is not a data set, a shard is damaged, the rows do not fit the model or each
    /// other, or rows to evaluate on are missing where the specification asks for them.
    static Result<TrainingData> open(const RunSpec& spec);

    /// In what a model sees the other data sets agree with the first one.
    const Manifest& manifest() const { return manifests.front(); }
    std::uint64_t trainingRows() const; ///< of all
    std::string hash() const;           ///< SHA-256 of all manifests, which hold the hash of every shard
};

/// Starts reading at `position`. `takenBefore`: rows of each data set before
/// position.firstSample; empty: none.
std::unique_ptr<StepLoader> startLoading(TrainingData data, const RunSpec& spec,
                                         StepLoader::Position position,
                                         const std::vector<std::uint64_t>& takenBefore = {});

} // namespace trainyard
