#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/records/evaluation_state.h"
#include "engine/records/loss_scale_state.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A box of a logical tensor and the bytes that hold it.
struct TensorSlice {
    std::vector<std::int64_t> begin; ///< first index in every dimension
    std::vector<std::int64_t> shape; ///< extent in every dimension
    std::string file;                ///< inside the checkpoint folder
    std::uint64_t offset = 0;        ///< of the first byte in the file
    std::uint64_t bytes = 0;
    std::string xxh3; ///< XXH3-64 of those bytes, 16 hex digits
};

/// A tensor as the model knows it, whatever ranks hold its parts. Its slices do not overlap and cover it.
struct LogicalTensor {
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape;
    std::vector<TensorSlice> slices;
};

/// The state besides tensors with which a run continues as if it had never stopped. The random state is
/// (seed, step): every generator is counter-based. The learning rate is a function of the run's own updates.
struct TrainingPosition {
    Step step;                         ///< steps done, skipped ones included
    std::uint64_t consumedSamples = 0; ///< sequences consumed by them
    LossScaleState lossScale{};
    EvaluationState evaluation{};
    std::int64_t earlierUpdates = 0; ///< of the optimizer's state that the run began with (init.optimizer)
    RunSpec spec;                    ///< the run that wrote it: seed, model, optimizer, schedule, layout

    /// What the optimizer counts for its bias correction.
    std::int64_t updates() const { return earlierUpdates + step.value - lossScale.skippedSteps; }
    /// evaluation.keep_best: no checkpoint of the run was better until now.
    bool isBest() const { return spec.evaluation.keepBest && evaluation.bestStep == step.value; }
};

/// manifest.json of a checkpoint folder; engine/checkpoint/FORMAT.md.
struct CheckpointManifest {
    TrainingPosition position;
    std::vector<LogicalTensor> tensors; ///< sorted by name

    const LogicalTensor* find(std::string_view name) const;
    /// BadInput when it is missing or its content is wrong, Failed when it cannot be read, Refused when
    /// another version of this program wrote it.
    static Result<CheckpointManifest> load(const std::filesystem::path& file);
    /// With a hash of itself at its end.
    std::string toJson() const;
};

} // namespace trainyard
