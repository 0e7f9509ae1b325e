#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Names of the model presets in resources/presets/models, smallest model first: "bert-tiny", "bert-base",
/// ...
std::vector<std::string> modelPresetNames();
/// The preset's values, or nothing when there is none of that name.
std::optional<ModelSpec> modelPreset(std::string_view name);

} // namespace trainyard
