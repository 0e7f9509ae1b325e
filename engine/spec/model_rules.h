#pragma once

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds what is wrong with the fields of `model`, under "model.".
void checkModel(const ModelSpec& model, Checker& check);

} // namespace trainyard
