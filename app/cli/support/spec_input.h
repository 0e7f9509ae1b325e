#pragma once

#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// What a command wants a specification for.
enum class SpecUse {
    Run,    ///< as it stands
    Plan,   ///< its data set may be left out, for nothing runs
    Search, ///< the same, and layout, memory and how the global batch is cut up do not matter
};

/// The specification that a command was given. With a status other than 0 it cannot be used, and every
/// problem has been printed.
struct SpecInput {
    RunSpec spec;
    int status = 0;
};

/// Reads and checks `file`. What has no effect is told as warnings.
SpecInput readSpecInput(const std::string& file, bool json = false, SpecUse use = SpecUse::Run);

/// With what a command may do without filled in, so that rules for runs hold for it.
RunSpec completedFor(SpecUse use, RunSpec spec);

} // namespace trainyard
