#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
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

/// Where a run is in its phases.
struct PhasePosition {
    int number = 0;                 ///< of the phase that the last step was in, from 0
    std::int64_t updatesBefore = 0; ///< updates of the run before its first step: the learning rate counts on

    bool operator==(const PhasePosition&) const = default;
};

/// The state besides tensors with which a run continues as if it had never stopped. The random state is
/// (seed, step): every generator is counter-based. The learning rate is a function of the phase's updates.
struct TrainingPosition {
    Step step;                         ///< steps done, skipped ones included
    std::uint64_t consumedSamples = 0; ///< sequences consumed by them
    LossScaleState lossScale{};
    EvaluationState evaluation{}; ///< of the phase
    PhasePosition phase{};
    /// Updates that the optimizer's state has behind it besides those of the run: what init.optimizer brought;
    /// below 0 where the state was reset for a later phase.
    std::int64_t earlierUpdates = 0;
    /// Of an import: its files had all experts of a layer in one tensor, and so will those of an export.
    bool fusedExperts = false;
    RunSpec spec; ///< the run that wrote it: seed, model, optimizer, schedule, layout

    /// What the optimizer counts for its bias correction.
    std::int64_t updates() const { return earlierUpdates + step.value - lossScale.skippedSteps; }
    /// Of the next step.
    void beginPhase(int number, bool keepsOptimizer);
    /// evaluation.keep_best of the phase: none of its checkpoints was better until now.
    bool isBest() const;
};

/// manifest.json of a checkpoint folder; engine/checkpoint/FORMAT.md.
struct CheckpointManifest {
    TrainingPosition position;
    std::vector<LogicalTensor> tensors; ///< sorted by name
    /// Of a checkpoint whose hosts keep it on disks of their own: the hosts that each shard was written on,
    /// its own first. Empty: all shards are in one folder.
    std::map<std::string, std::vector<std::string>> places{};
    /// With `places`: XXH3-64 of the manifest of the checkpoint of the same step that this one takes the
    /// place of; empty: there was none.
    std::string replaces{};

    const LogicalTensor* find(std::string_view name) const;
    std::set<std::string> shards() const;
    /// Returns whether `shard` was also written on a host other than the one of `folder`.
    bool hasOtherPlace(const std::filesystem::path& folder, const std::string& shard) const;
    /// Returns whether `shard` is not in `folder`, but may be on another host.
    bool isElsewhere(const std::filesystem::path& folder, const std::string& shard) const;
    /// All that `places` names.
    std::set<std::string> hosts() const;
    /// "node-b", "node-b or node-c": the hosts that `shard` was written on.
    std::string hostsOf(const std::string& shard) const;
    /// Errors as of load(), without the name of a file.
    static Result<CheckpointManifest> parse(const std::string& text);
    /// BadInput when it is missing or its content is wrong, Failed when it cannot be read, Refused when
    /// another version of this program wrote it.
    static Result<CheckpointManifest> load(const std::filesystem::path& file);
    /// With a hash of itself at its end.
    std::string toJson() const;
};

} // namespace trainyard
