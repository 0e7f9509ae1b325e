#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Folder in a run's directory: weights that were sent with its launch, which it begins with.
inline constexpr const char* kSentWeightsFolder = "weights";

/// Which checkpoint of several is meant.
struct CheckpointWish {
    std::optional<Step> step{}; ///< nullopt: the one that a start would take
    bool best = false;          ///< the best one by held-out evaluation, instead

    bool isAny() const { return !step && !best; }
    /// As options of a command name it.
    static CheckpointWish of(std::optional<std::int64_t> step, bool best)
    {
        return {step ? std::optional(Step{*step}) : std::nullopt, best};
    }
};

struct FoundWeights {
    std::filesystem::path folder; ///< for openWeights(); it may still be damaged
    std::string remark{};         ///< what it is, where it is not simply the newest one; else empty
};

/// `path`: a checkpoint, a folder of checkpoints, or the directory of a run. BadInput when it has no such
/// checkpoint; errors of chooseStart().
Result<FoundWeights> findCheckpoint(const std::filesystem::path& path, const CheckpointWish& wish = {});

/// The same, or the folder of a Hugging Face model or of PEFT's adapters. noSuchModel() where there is no `path`.
Result<FoundWeights> findWeights(const std::filesystem::path& path, const CheckpointWish& wish = {});

/// BadInput: there is neither a run nor a path `model`. Names what may be meant: the nearest of `known` and
/// of the folders beside the path.
Error noSuchModel(const std::string& model, std::vector<std::string> known = {});

/// What section init means on a machine whose runs are in the folder `runs`. Errors name the field.
Result<std::filesystem::path> findInitialWeights(const InitSpec& init, const std::filesystem::path& runs);

} // namespace trainyard
