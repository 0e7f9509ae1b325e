#pragma once

#include <limits>
#include <vector>

#include <QString>

#include "app/base/text_table_model.h"
#include "app/base/tone.h"
#include "app/plan/planned_run.h"

namespace trainyard {

/// One metric of a planned design, as shown in the verdict.
struct PlanMetric {
    enum class Better { Neither, Higher, Lower };

    QString name;
    QString value;                                            ///< three digits, with unit
    QString details;                                          ///< the exact value and its meaning
    double amount = std::numeric_limits<double>::quiet_NaN(); ///< NaN = unknown
    Better better = Better::Neither;
    QString formula{}; ///< how it is computed, with its source; papers as "arXiv:" and a number

    /// Whether `other` is the same metric of another design; a note in brackets after the name may differ.
    bool isSame(const PlanMetric& other) const;
    /// Returns details and formula.
    QString help() const;
};

/// Returns the metrics that depend on the specification alone, then those of the time, if known. The list is
/// the same, in the same order, for all designs with a time, and for all without.
std::vector<PlanMetric> planMetrics(const PlannedDesign& design);

/// Formats the change of a metric: "+12.3 %", "× 2.5" from a factor of two on, "=" for no change; empty if
/// one of them is unknown.
QString changeText(const PlanMetric& now, const PlanMetric& before);
/// Returns whether the change is good, bad or neutral.
Tone changeTone(const PlanMetric& now, const PlanMetric& before);

/// Returns how each metric is computed, then the common assumptions, one sentence each; papers as "arXiv:"
/// and a number.
QStringList planAssumptions(const PlannedDesign& design);

/// Compares two designs metric by metric: those of planMetrics(), with memory by category and time by cause,
/// and the change from the saved to the current one.
TextTable comparedMetrics(const PlannedDesign& kept, const PlannedDesign& present);

/// Returns one row per differing field of the specification.
TextTable comparedFields(const RunSpec& kept, const RunSpec& present);

} // namespace trainyard
