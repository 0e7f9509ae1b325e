#pragma once

#include <string>
#include <vector>

#include "tests/faults/soak/history.h"

namespace trainyard::soak {

/// Ranks of an attempt that another one has followed may go on for so long: the lease of the soak's nodes,
/// and what it takes to end them on a machine that is busy.
constexpr Moment kOldRanksMs = 25'000;

/// Relative, of float64. The same ranks compute the same, but for the order in which libraries add numbers
/// up; a step that were left out or done twice would change the losses behind it by 1e-3 and more.
constexpr double kLossTolerance = 1e-9;

/// What the history of a soak shows to be wrong, a sentence for each; empty = it held out. Needs nothing but
/// the history.
///
/// - It is a whole history in which faults were injected.
/// - Records: the sequences of every stream are 1, 2, 3, ..., attempts never go back, and the desk has the
/// same bytes.
/// - Curve: no step is missing before an attempt, and its steps follow each other. Each has the loss of the
///   undisturbed run, also when it was done before; see kLossTolerance.
/// - Attempts: EPOCH never falls, nobody writes for an attempt that it does not know, and ranks of an older
///   attempt are gone kOldRanksMs after it rose.
/// - Checkpoints: as folder_check.h says; above all, each attempt goes on from the newest complete one.
/// - End: the run is stopped, and neither processes nor files of it are left on any host.
std::vector<std::string> complaintsAbout(const History& history);

/// Between a step's loss and that of the undisturbed run, relative to it; 0 = the curves are the same bits.
double largestLossDifference(const History& history);

} // namespace trainyard::soak
