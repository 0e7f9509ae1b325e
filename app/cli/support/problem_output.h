#pragma once

#include <string>
#include <vector>

#include <QJsonArray>

#include "engine/planner/explain/explained_problem.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Prints each problem on standard error: what is wrong and what to do, then its equation with numbers and
/// the closest valid settings, if any. With `json` also {"problems": [...]} on standard output. Returns their
/// exit status.
int failForProblems(const std::string& file, const std::vector<ExplainedProblem>& problems, bool json);
/// For problems that no setting of a specification solves.
int failForProblems(const std::string& file, const Diagnostics& problems, bool json);
/// Prints a line for each on standard error.
void warn(const std::string& file, const Diagnostics& remarks);

/// [{"path", "message", "hint", "equation"}]; "equation" is left out of a rule without numbers.
QJsonArray toJson(const Diagnostics& diagnostics);
/// The same, each with its valid settings as "nearest".
QJsonArray toJson(const std::vector<ExplainedProblem>& problems);

} // namespace trainyard
