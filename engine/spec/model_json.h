#pragma once

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Reads the keys of a model object: first "preset", then whatever overrides it. `finish()` is the caller's.
void readModel(FieldReader& reader, ModelSpec& model);

nlohmann::ordered_json modelJson(const ModelSpec& model);

} // namespace trainyard
