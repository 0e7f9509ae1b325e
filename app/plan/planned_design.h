#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <QString>

#include "app/plan/planned_run.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A specification and what is known of it before it runs. A plain value: it goes to other threads, and one
/// is kept to be compared with.
struct PlannedDesign {
    RunSpec spec;
    SequenceShape shape{};
    PlannedRun plan{};
    /// Throughput of one rank, against that on the fewest whole nodes (ScalingOutlook); NaN = not worked out.
    double efficiency = std::numeric_limits<double>::quiet_NaN();

    bool hasTime() const { return plan.hasTime(); }
    const PlannedTime& time() const { return **plan.time; } ///< requires hasTime()
};

/// The first node that gets ranks and whose hardware is not said.
std::optional<std::size_t> nodeOfUnknownHardware(const PlannedDesign& design);
/// Why the design has no time, in one sentence with what to do; empty = it has one.
QString timeObstacle(const PlannedDesign& design);
/// The same in few words, for places beside the one that says what to do.
QString timeObstacleInShort(const PlannedDesign& design);

} // namespace trainyard
