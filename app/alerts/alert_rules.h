#pragma once

#include <QList>

#include "app/alerts/alert.h"
#include "app/runs/open_run.h"

namespace trainyard {

/// A snapshot of a run for the rules. References are valid during the call only.
struct ObservedRun {
    const RunFacts& facts;
    const RunSeries& series;
    RunLink link = RunLink::Recorded;
    qint64 nowMs = 0; ///< wall clock here, ms since 1970-01-01 UTC

    /// True while the run is active, as far as known here.
    bool isAtWork() const { return series.status().state == RunState::Running; }
    /// True when records arrive as they are written, so that silence is meaningful.
    bool isLive() const { return link == RunLink::Live; }
};

// Every rule set is a pure function: the same snapshot gives the same alerts. Finished runs have none.

/// NotFinite, Divergence, GradientSpike: from the columns of the steps. A non-finite value and a spike stay
/// active for 20 steps. ReplicasDiffer: as long as the attempt runs in which ranks found it.
QList<Alert> trainingAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// Overfitting: from the held-out evaluations. Each of the newest heldOutEvaluations is above the lowest loss
/// before them by more than heldOutRise and four standard deviations of the noise between evaluations, while
/// the mean training loss of the 50 steps before the newest evaluation is below that before the lowest one by
/// more than two standard errors.
QList<Alert> heldOutAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// IdleExperts: from the newest load of experts, from step kFirstBalanced on: of the layer with most idle
/// ones.
QList<Alert> expertAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// Stall, SlowSteps, Straggler: from the step times, overall and by rank.
///
/// Stall: waits longer after a step that is followed by an evaluation: twice the longest evaluation so far,
/// or one step time for each batch of the first one.
///
/// SlowSteps: of the newest steps, at least 8 of them and at least 10 s, three quarters took more than
/// stepFactor times the median of the 100 before them, and so does their median.
///
/// Straggler: compares the compute time of a rank with the median of the ranks of its pipeline stage in the
/// same step, which cancels slowdowns common to all. A rank is a straggler when the ratio exceeded
/// stragglerFactor in 80 % of the newest 30 steps (kComparedSteps; 20 are enough at the start of an attempt)
/// and the median loss is more than 20 ms a step. So a rank that becomes permanently slow is found within 24
/// steps, and ranks that are late in turns, as on shared cores, are not reported.
QList<Alert> paceAlerts(const ObservedRun& run, const AlertThresholds& thresholds);
/// MemoryErrors, LostHost, LinkLost, SlowDevice, IdleDevice, LowDisk, LowHostMemory: from samples of the
/// hosts and the link. MemoryErrors and SlowDevice of devices that a rank computes on, as far as that is
/// known.
QList<Alert> hostAlerts(const ObservedRun& run, const AlertThresholds& thresholds);

/// Returns the alerts of all rules in the order of AlertKind.
QList<Alert> alertsOf(const ObservedRun& run, const AlertThresholds& thresholds);
/// Like alertsOf(), for repeated evaluation: an alert of `before` ends only at eased(thresholds).
QList<Alert> alertsAfter(const QList<Alert>& before, const ObservedRun& run,
                         const AlertThresholds& thresholds);

} // namespace trainyard
