#pragma once

#include <string>
#include <vector>

#include <QJsonArray>

#include "engine/planner/explain/explained_problem.h"
#include "engine/spec/diagnostic.h"

namespace trainyard {

/// Prints each problem on standard error: a line that says what is wrong and what to do, under it the
/// equation with its numbers and the nearest settings that work, as far as there are any. With `json` also
/// {"problems": [...]} on standard output. The exit status for them.
int failForProblems(const std::string& file, const std::vector<ExplainedProblem>& problems, bool json);
/// Of problems that no setting of a specification solves.
int failForProblems(const std::string& file, const Diagnostics& problems, bool json);
/// Prints a line for each on standard error.
void warn(const std::string& file, const Diagnostics& remarks);

/// [{"path", "message", "hint", "equation"}]; "equation" is left out of a rule without numbers.
QJsonArray toJson(const Diagnostics& diagnostics);
/// The same, each with the settings that work as "nearest".
QJsonArray toJson(const std::vector<ExplainedProblem>& problems);

} // namespace trainyard
