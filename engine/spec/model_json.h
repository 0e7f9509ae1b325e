#pragma once

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Reads the keys of a model object: first "preset", then "family", whose defaults replace those of another
/// family, then whatever overrides them. `finish()` is the caller's.
void readModel(FieldReader& reader, ModelSpec& model);

nlohmann::ordered_json modelJson(const ModelSpec& model);

} // namespace trainyard
