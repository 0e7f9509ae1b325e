#pragma once

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The terms of  micro × accumulation × data = global  (sequences).
enum class BatchTerm { Micro, Accumulation, Data, Global };

int batchTerm(const RunSpec& spec, BatchTerm term);

/// Sets one term and solves the equation: a change of micro, accumulation or data gives a new global; a
/// change of global gives a new accumulation. A global batch that micro × data does not divide leaves the
/// accumulation alone, so that validate() can say what would do.
void setBatchTerm(RunSpec& spec, BatchTerm term, int value);

} // namespace trainyard
