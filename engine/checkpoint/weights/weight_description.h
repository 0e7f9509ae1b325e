#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/safetensors.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Names of a checkpoint's tensors (engine/checkpoint/FORMAT.md).
inline constexpr std::string_view kWeightPrefix = "model/";
inline constexpr std::string_view kOptimizerPrefix = "optimizer/"; ///< a state and its '/' follow

/// A tensor by its name in a checkpoint, shaped as this engine has it.
struct StoredTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    ElementType type = ElementType::F32;

    bool holdsFloats() const;
    bool operator==(const StoredTensor&) const = default;
};

/// Everything about stored weights except their values: enough to compare them with a specification, on this
/// machine or on another one.
struct WeightDescription {
    std::string origin; ///< "the checkpoint /runs/r/checkpoints/step-000001000", for messages
    ModelSpec model;
    std::optional<OptimizerKind> optimizer{}; ///< whose state is there too; nullopt: weights alone
    std::int64_t updates = 0;                 ///< that this optimizer has done
    std::vector<StoredTensor> tensors{};      ///< sorted by name; without copies of tied tensors

    const StoredTensor* find(std::string_view name) const;

    bool operator==(const WeightDescription&) const = default;
};

/// One JSON object, as the agent sends it.
std::string toJson(const WeightDescription& description);
/// BadInput for any other text.
Result<WeightDescription> parseWeightDescription(std::string_view json);

/// "[30522, 768]"
std::string shapeText(const std::vector<std::int64_t>& shape);
/// The first ones of a list that may have thousands: "a, b, and 5 more".
std::string listed(const std::vector<std::string>& items, std::string_view separator = ", ",
                   std::size_t most = 8);

} // namespace trainyard
