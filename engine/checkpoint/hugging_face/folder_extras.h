#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// What goes into a folder besides configuration and weights, and how these are written.
struct FolderExtras {
    ComputeType type = ComputeType::Float32;    ///< of the weights
    /// All experts of a layer in one tensor, as transformers 5 computes with them; otherwise each by itself,
    /// as it saves them and other programs read them.
    bool fusesExperts = false;
    std::map<std::string, std::string> files{}; ///< content by plain name
    std::optional<std::int64_t> endToken{};     ///< of a decoder: where it stops, config.json's eos_token_id
    /// Of a model that classifies or tags: names of its labels by their numbers, for config.json's id2label;
    /// others than its task has are not taken.
    std::vector<std::string> labels{};
    /// Called before each tensor with the bytes written so far; an error ends the writing with that error.
    std::function<Status(Bytes written, Bytes total)> onProgress{};
};

} // namespace trainyard
