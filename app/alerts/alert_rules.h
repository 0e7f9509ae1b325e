#pragma once

#include <QList>

#include "app/alerts/alert.h"
#include "app/runs/open_run.h"

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

/// NotFinite, Divergence, GradientSpike: from the columns of the steps. A value that is not finite and a
/// spike are told for 20 steps.
QList<Alert> trainingAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// Stall, SlowSteps, Straggler: from how long steps take, and on which rank.
///
/// SlowSteps: of the newest steps, at least 8 of them and at least 10 s, three quarters took more than
/// stepFactor times the median of the 100 before them, and so does their median.
///
/// Straggler: what is compared is how long a rank computed in a step over the median of the ranks of its
/// pipeline stage in the same step, which leaves out what slows all of them. A rank is a straggler when that
/// was more than stragglerFactor in 80 % of the newest 30 steps (kComparedSteps; 20 are enough at the start
/// of an attempt), and the median of what it lost is more than 20 ms a step. So one that becomes slow for
/// good is found within 24 steps, and ranks that take turns at being late, as on cores that they share, are
/// none.
QList<Alert> paceAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// LostHost, LinkLost, IdleDevice, LowDisk, LowHostMemory: from samples of the hosts and the link.
QList<Alert> hostAlerts(const ObservedRun& run, const AlertThresholds& thresholds);

/// All of them, in the order of AlertKind.
QList<Alert> alertsOf(const ObservedRun& run, const AlertThresholds& thresholds);
/// As alertsOf(), for one who looks again and again: an alert of `before` ends only at eased(thresholds).
QList<Alert> alertsAfter(const QList<Alert>& before, const ObservedRun& run,
                         const AlertThresholds& thresholds);

} // namespace trainyard
