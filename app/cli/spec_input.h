#pragma once

#include <string>

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

} // namespace trainyard
