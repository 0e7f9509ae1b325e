#pragma once

#include <string>

#include <QJsonArray>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The specification that a command was given. With a status other than 0 it cannot be used, and every
/// problem has been printed.
struct SpecInput {
    RunSpec spec;
    int status = 0;
};

/// Reads and checks `file`. What has no effect is told as warnings.
SpecInput readSpecInput(const std::string& file, bool json = false);

/// Prints a line for each problem on standard error, with `json` also {"problems": [...]} on standard output,
/// and gives the exit status for them.
int failForProblems(const std::string& file, const Diagnostics& problems, bool json);
/// Prints a line for each on standard error.
void warn(const std::string& file, const Diagnostics& remarks);

/// [{"path", "message", "hint"}].
QJsonArray toJson(const Diagnostics& diagnostics);

} // namespace trainyard
