#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/planner/memory/memory_fit.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/field_changes.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Finds everything wrong with a specification: validate(), or more where more is known (planProblems()).
using FindProblems = std::function<Diagnostics(const RunSpec&)>;

/// A change of settings that solves one problem.
struct Remedy {
    RunSpec spec; ///< the whole specification after it
    std::vector<FieldChange> changes;
    std::optional<RankNeed> need{}; ///< of a rank after it, where memory is the problem

    /// "batch.accumulation 8, batch.micro 2", with the need in brackets.
    std::string text() const;
};

/// A problem and the nearest settings that work.
struct ExplainedProblem {
    Diagnostic problem;
    std::vector<Remedy> remedies;

    /// In one message: the equation with what is wrong, the settings that work as its hint.
    Error error() const;
};

/// A problem of a phase and its remedies, tied to the fields of the run (inPhase() of a diagnostic); remedies
/// become specifications of the run.
ExplainedProblem inPhase(const RunSpec& run, int phase, ExplainedProblem explained);

/// For each problem the settings that solve it, each found by asking `find`: with any one of them the field
/// of the problem has none left, and no other field has a new one. Of a number the nearest value below and
/// the nearest above, within 1024 of it; where no single move is enough, two of them together, within 16.
/// At most eight for a problem, the most likely first, without those that change more than another one needs.
/// None for texts and fractions, whose hints say it, and for what `find` does not say of `spec` (the problems
/// of a file that cannot be read), and none that is not found within the patience: with thousands of hosts
/// each question takes long.
std::vector<ExplainedProblem> explain(const RunSpec& spec, const Diagnostics& problems,
                                      const FindProblems& find,
                                      std::chrono::milliseconds patience = std::chrono::seconds(2));

} // namespace trainyard
