#pragma once

#include <optional>

#include <QList>
#include <QString>

#include "app/runs/time_to_target.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// One run's contribution to a scaling study.
struct ScalingPoint {
    QString runId;
    int worldSize = 0;
    int globalBatch = 0;
    double sequencesPerSecond = 0; ///< steady state
    std::optional<TimeToTarget> toTarget{};
    Price price{}; ///< of its hosts together; perHour 0 = unknown
};

/// One world size of a scaling study. The smallest one is the base:
///     speedup = throughput / base throughput;   efficiency = speedup / (world size / base world size)
struct ScalingRow {
    int worldSize = 0;
    int globalBatch = 0; ///< of the best run of that size
    QString runId;       ///< the run with the highest throughput of that size
    int runs = 0;        ///< how many of that size were given
    double sequencesPerSecond = 0;
    double speedup = 1;
    double efficiency = 1;
    std::optional<TimeToTarget> toTarget{}; ///< nullopt: no target, or it was not reached
    Price price{};                          ///< of its hosts together; perHour 0 = unknown

    /// In the currency of the price; nullopt without a price or before the target.
    std::optional<double> costToTarget() const;
    bool operator==(const ScalingRow&) const = default;
};

/// Ascending by world size; empty unless at least two world sizes have a measured throughput.
QList<ScalingRow> scalingTable(const QList<ScalingPoint>& points);

} // namespace trainyard
