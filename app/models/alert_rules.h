#pragma once

#include <QList>

#include "app/models/alert.h"
#include "app/models/open_run.h"

namespace trainyard {

/// A run at one moment, as the rules look at it. What it refers to outlives the call that it is handed to.
struct ObservedRun {
    const RunFacts& facts;
    const RunSeries& series;
    RunLink link = RunLink::Recorded;
    qint64 nowMs = 0; ///< wall clock of this desk, since 1970-01-01 UTC

    /// At work, as far as this desk knows.
    bool isAtWork() const { return series.status().state == RunState::Running; }
    /// Its records come as they are written, so that silence means something.
    bool isLive() const { return link == RunLink::Live; }
};

// Every rule set is a pure function: the same run at the same moment has the same alerts. None looks at a run
// that has finished.

/// NotFinite, Divergence, GradientSpike: from the columns of the steps.
QList<Alert> trainingAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// Stall, SlowSteps, Straggler: from how long steps take, and on which rank.
QList<Alert> paceAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// LostHost, LinkLost, IdleDevice, LowDisk, LowHostMemory: from samples of the hosts and the link.
QList<Alert> hostAlerts(const ObservedRun& run, const AlertThresholds& thresholds);

/// All of them, in the order of AlertKind.
QList<Alert> alertsOf(const ObservedRun& run, const AlertThresholds& thresholds);

} // namespace trainyard
