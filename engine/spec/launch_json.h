#pragma once

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Reads the keys of a launch object. `finish()` is the caller's.
void readLaunch(FieldReader& reader, LaunchSpec& launch, Diagnostics& diagnostics);

nlohmann::ordered_json launchJson(const LaunchSpec& launch);

} // namespace trainyard
