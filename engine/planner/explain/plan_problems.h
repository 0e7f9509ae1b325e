#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "engine/planner/explain/explained_problem.h"
#include "engine/planner/memory/memory_fit.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Diagnostic::path of a memory problem.
inline constexpr const char* kMemoryPath = "memory";

/// Which ranks lie on which host, and what memory they have, of a specification (memoryOfHosts()).
using HostsOf = std::function<std::vector<HostMemory>(const RunSpec&)>;

/// Facts about a run besides its specification.
struct PlanFacts {
    SequenceShape shape;
    std::optional<DataSetShape> rows{}; ///< of its data set, where that can be read
    HostsOf hosts;
    std::optional<DataSetShape> evaluatedRows{}; ///< of evaluation.dataset, likewise
};

/// Refused, at kMemoryPath: the sum of the categories that count there against what there is.
Diagnostic memoryProblem(const MemoryShortage& shortage);

/// Returns the problems that keep a specification from running. Each check runs only if the ones before it
/// found nothing: validate(), dataSetProblems(), evaluationDataProblems(), sharingProblems(),
/// memoryShortage().
Diagnostics planProblems(const RunSpec& spec, const PlanFacts& facts);

/// explain() for planProblems(), with what a rank needs after each remedy of its memory.
std::vector<ExplainedProblem> explainPlan(const RunSpec& spec, const PlanFacts& facts);

/// precisionRemarks(), each with the settings that avoid it and bring no problem. For a specification without
/// problems.
std::vector<ExplainedProblem> explainPrecision(const RunSpec& spec, const PlanFacts& facts);

} // namespace trainyard
