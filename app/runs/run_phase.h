#pragma once

#include <vector>

#include <QString>

#include "app/runs/recorded_run.h"

namespace trainyard {

class StepTable;
enum class StepColumn;

/// Returns the phase of the run's newest step, from 0; before the first step that of the first. 0 for a run
/// without phases or specification.
int phaseNow(const RunFacts& facts, const RunSeries& series);

/// Returns the facts of a run that is one phase of this one: its specification, in the layout of the newest
/// attempt too, and its data set. Those of a run without phases are its own.
RunFacts factsOfPhase(const RunFacts& facts, int phase);
RunFacts factsNow(const RunFacts& facts, const RunSeries& series);

/// "Phase 2 of 2: wiki-512  ·  length 512  ·  step 120 of 400"; empty for a run without phases.
QString phaseText(const RunFacts& facts, const RunSeries& series);

/// Where a phase begins in the steps that a run has taken.
struct PhaseBorder {
    int phase = 1;
    double position = 0; ///< between the last step before and the first one of the phase
    QString label;       ///< "2: wiki-512"
};

/// Returns the borders that the steps have passed, in their order; positions are those of the column.
std::vector<PhaseBorder> phaseBorders(const RunFacts& facts, const StepTable& steps, StepColumn positions);

} // namespace trainyard
