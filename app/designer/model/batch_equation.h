#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The terms of  micro × accumulation × data = global  (sequences).
enum class BatchTerm { Micro, Accumulation, Data, Global };

int batchTerm(const RunSpec& spec, BatchTerm term);

/// Sets one term and solves the equation: micro, accumulation and data change global; global changes
/// accumulation. If global is not divisible by micro × data, accumulation is unchanged and validate()
/// suggests valid values.
void setBatchTerm(RunSpec& spec, BatchTerm term, int value);

} // namespace trainyard
