#pragma once

#include <limits>
#include <vector>

#include <QString>

#include "app/base/tone.h"
#include "app/plan/planned_design.h"

namespace trainyard {

/// One figure of a planned design, as the verdict shows it.
struct PlanFigure {
    enum class Better { Neither, Higher, Lower };

    QString name;
    QString value;                                            ///< three digits, with its unit
    QString details;                                          ///< the whole value, and what it means
    double amount = std::numeric_limits<double>::quiet_NaN(); ///< NaN = not known
    Better better = Better::Neither;
    QString formula{}; ///< how it is worked out, with its source; papers as "arXiv:" and their number

    /// Of another design; a note in brackets behind the name may differ.
    bool isSame(const PlanFigure& other) const;
    /// Details and formula.
    QString help() const;
};

/// What follows from the specification alone, then of the time, where it is known. The same figures in the
/// same order for every design that has a time, and for every one that has none.
std::vector<PlanFigure> planFigures(const PlannedDesign& design);

/// How a figure changed: "+12.3 %", "× 2.5" from twice as much on, "=" where it did not; empty where one of
/// them is not known.
QString changeText(const PlanFigure& now, const PlanFigure& before);
/// Good, bad, or neither.
Tone changeTone(const PlanFigure& now, const PlanFigure& before);

/// How each figure is worked out, then what all of them rest on, one sentence each; papers as "arXiv:" and
/// their number.
QStringList planAssumptions(const PlannedDesign& design);

} // namespace trainyard
