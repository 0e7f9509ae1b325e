#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// How far to look for a number that works.
enum class Turn { Down, Up, Either };

/// A number that the user can raise or lower. Moves may give invalid specifications: the caller checks.
struct NumberMove {
    int least;
    int most;
    int (*get)(const RunSpec&);
    void (*set)(RunSpec&, int); ///< and dependent fields, so that e.g. the global batch stays
    Turn turn = Turn::Either;
};

/// A change without a number in it.
using SwitchMove = void (*)(RunSpec&);

using SettingMove = std::variant<NumberMove, SwitchMove>;

/// Changes to try against a problem.
struct SettingMoves {
    std::vector<SettingMove> moves; ///< the most likely first; of memory what gives up least
    /// For when no two of the moves are enough: alone, and each with one of the moves.
    std::vector<SettingMove> lastResorts{};
};

/// Whether what follows from a move are whole numbers: none of `moved` is 0 that was not.
bool dividesEvenly(const RunSpec& spec, const RunSpec& moved);

/// The moves of the fields that have a part in the rules of this field (Diagnostic::path); none for texts and
/// for fractions, whose hints already say all.
const SettingMoves& movesFor(std::string_view path);

} // namespace trainyard
