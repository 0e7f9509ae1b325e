#pragma once

#include <string_view>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// A number that the user may turn up and down. Moves may give specifications that do not work: who makes
/// them asks.
struct NumberMove {
    int least;
    int most;
    int (*get)(const RunSpec&);
    void (*set)(RunSpec&, int); ///< and what follows from it, so that e.g. the global batch stays
};

/// A change without a number in it.
using SwitchMove = void (*)(RunSpec&);

/// What can be tried against a problem, the most likely first.
struct SettingMoves {
    std::vector<NumberMove> numbers;
    std::vector<SwitchMove> switches;
};

/// The moves of the fields that have a part in the rules of this field (Diagnostic::path); none for texts and
/// for fractions, whose hints already say all.
const SettingMoves& movesFor(std::string_view path);

} // namespace trainyard
