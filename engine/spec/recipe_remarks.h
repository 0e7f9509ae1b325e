#pragma once

#include "engine/spec/checker.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds what practice advises against, with the published value to compare with: learning rates, warm-up and
/// batch. Such a run works; it seldom learns.
void remarkOnRecipe(const RunSpec& spec, Checker& check);

} // namespace trainyard
