#pragma once

#include <optional>
#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// The purpose of a specification.
enum class SpecUse {
    Run,    ///< as it stands
    Plan,   ///< its data set may be left out, for nothing runs
    Search, ///< the same, and layout, memory and how the global batch is cut up do not matter
};

/// The specification passed to a command. With a status other than 0 it is unusable, and every problem has
/// been printed.
struct SpecInput {
    RunSpec spec;
    int status = 0;
};

/// Reads and checks `file`. Warns about settings without effect. `phase`: the specification becomes that of
/// this phase, from 1.
SpecInput readSpecInput(const std::string& file, bool json = false, SpecUse use = SpecUse::Run,
                        std::optional<int> phase = std::nullopt);

/// Fills in what the purpose does not need, so that the rules for runs hold.
RunSpec completedFor(SpecUse use, RunSpec spec);

} // namespace trainyard
