#pragma once

#include <vector>

#include "engine/base/ids.h"

namespace trainyard {

class Replica;
struct ProcessGroups;

/// Whether replicas are held against each other after this step: the first one and every hundredth.
bool isReplicaCheckDue(Step step);

/// The ranks whose weights are not those of most of the ranks that should have the same, ascending; of two
/// that differ both. Every rank updates its copy on its own, from sums that are equal to the bit, so that a
/// difference is a fault: of a memory, a processor, or a library that computes otherwise on one host.
/// Compares XXH3 of the master weights of all copies, and of working weights that every rank has whole. All
/// ranks call it between steps; each gets the same list.
std::vector<int> driftedRanks(const ProcessGroups& groups, const Replica& replica);

} // namespace trainyard
