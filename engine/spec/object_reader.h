#pragma once

#include "engine/spec/field_reader.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Reads the keys of a specification, except its version. `finish()` is the caller's.
void readObject(FieldReader& reader, RunSpec& spec, Diagnostics& diagnostics);

/// Reads the keys of a model: first "preset", then "family", whose defaults replace those of another family,
/// then all that override them. `finish()` is the caller's.
void readObject(FieldReader& reader, ModelSpec& model, Diagnostics& diagnostics);

} // namespace trainyard
