#pragma once

#include <functional>
#include <string>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Where the user writes a field of specOfPhase(run, phase): "phases[1].batch.global" where the phase names
/// anything of its section, else "batch.global".
std::string pathInPhase(const RunSpec& run, int phase, const std::string& field);

/// `problem` of specOfPhase(run, phase), tied to the field that the user writes; where that is the run's, the
/// message says which phase has the problem.
Diagnostic inPhase(const RunSpec& run, int phase, Diagnostic problem);
Diagnostics inPhase(const RunSpec& run, int phase, Diagnostics problems);

/// An error that a phase has, with phases prefixed by that.
Error inPhase(const RunSpec& run, int phase, const Error& error);

/// What `problemsOf` says of the phases, each tied to its field; once what it says of all. Without phases,
/// what it says of the run.
Diagnostics overPhases(const RunSpec& run, const std::function<Diagnostics(const RunSpec&)>& problemsOf);

/// What keeps phases from following each other: names, their steps together, optimizer state that the next
/// optimizer cannot take over.
Diagnostics sequenceProblems(const RunSpec& run);

} // namespace trainyard
