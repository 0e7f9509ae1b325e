#pragma once

#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

// Edits of a run's phases, numbered from 0. Those that change the number of steps set launch.steps to their
// sum. A phase that an edit names must exist.

/// Adds a phase at the end, with as many steps as the last one. A run without phases becomes its first one.
void addPhase(RunSpec& run);
/// Inserts a copy without a name behind the phase.
void duplicatePhase(RunSpec& run, int phase);
/// After the last one, the run has the steps that it had, and no phases.
void removePhase(RunSpec& run, int phase);
/// `to`: its number afterwards.
void movePhase(RunSpec& run, int phase, int to);
void setPhaseSteps(RunSpec& run, int phase, int steps);

/// Whether the phase has a value of `field`, such as "batch.global", for itself.
bool isOverridden(const RunSpec& run, int phase, const std::string& field);
/// Makes the phase override each field of the sections that a phase may change in which `wanted` differs
/// from specOfPhase(). Other fields of `wanted` are ignored.
void overrideInPhase(RunSpec& run, int phase, const RunSpec& wanted);
/// Makes the phase inherit the field from the run again.
void inheritFromRun(RunSpec& run, int phase, const std::string& field);

/// Changes the run so that specOfPhase() becomes `wanted`: where pathInPhase() says that the user writes each
/// field. Phases that inherit what changes in the run change as well. The steps and phases of `wanted` are
/// ignored.
void applyInPhase(RunSpec& run, int phase, const RunSpec& wanted);

} // namespace trainyard
