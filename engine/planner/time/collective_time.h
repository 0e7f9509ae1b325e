#pragma once

#include "engine/planner/hardware/hardware.h"
#include "engine/planner/time/group_place.h"

namespace trainyard {

// Seconds of one collective over `bytes`, by the alpha-beta model with bandwidths by size (hardware.h). The
// ring's slowest link governs: across nodes the adapters, which the groups of a node share.

/// latency + 2 (n-1)/n bytes / bandwidth; across nodes the latency counts log2(nodes) times (trees).
double allReduceTime(double bytes, const GroupPlace& place, const NodeModel& node);
/// All-gather, or reduce-scatter: half of an all-reduce's bytes, and a ring's latency: once per rank.
double gatherTime(double bytes, const GroupPlace& place, const NodeModel& node);
/// All-to-all of `bytes` on each rank, equal parts of which go to each: those for other nodes share the
/// node's adapters with all that its other ranks send, while the rest goes by the links within.
double allToAllTime(double bytes, const GroupPlace& place, const NodeModel& node);
/// From one rank to another one, while every rank of the sending stage on that node sends too.
double sendTime(double bytes, const GroupPlace& pipeline, const NodeModel& node);

} // namespace trainyard
