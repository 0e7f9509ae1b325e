#pragma once

#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

// A scaling study measures a rate, so each of its runs has one phase and one batch. Phases are numbered from
// 0.

/// The phase of the run whose rate a study measures: at its full batch from the first step, and to its last
/// one where the run would only end early in a later phase.
RunSpec studiedPhase(const RunSpec& run, int phase = 0);

/// Says which settings of the run the study leaves out, a clause each: "measures phase 1 of 2 only".
/// Empty where it measures the run as it is.
std::vector<std::string> studyNotes(const RunSpec& run, int phase = 0);

} // namespace trainyard
