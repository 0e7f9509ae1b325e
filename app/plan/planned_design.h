#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include <QString>

#include "app/plan/planned_run.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A specification with its plan. A plain value: it can go to other threads and be kept for comparison.
struct PlannedDesign {
    RunSpec spec;
    SequenceShape shape{};
    PlannedRun plan{};
    /// Throughput of one rank, against that on the fewest whole nodes (ScalingOutlook); NaN = not worked out.
    double efficiency = std::numeric_limits<double>::quiet_NaN();

    bool hasTime() const { return plan.hasTime(); }
    const PlannedTime& time() const { return **plan.time; } ///< requires hasTime()
};

/// The first node with ranks but without hardware.
std::optional<std::size_t> nodeOfUnknownHardware(const PlannedDesign& design);
/// The reason why the design has no time, as one sentence with advice; empty if it has one.
QString timeObstacle(const PlannedDesign& design);
/// A short form, for places next to the full one.
QString timeObstacleInShort(const PlannedDesign& design);

} // namespace trainyard
