#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

// The phases of a run, numbered from 0. A specification without phases is its only phase.

int phaseCount(const RunSpec& run);
/// "wiki-128", or "phase 2" for a phase without a name.
std::string phaseName(const RunSpec& run, int phase);

/// What the run is while the phase lasts: its specification with the fields that the phase names, without
/// phases, launch.steps those of the phase.
RunSpec specOfPhase(const RunSpec& run, int phase);

/// The sum of all phases' steps; launch.steps of a run without phases.
std::int64_t stepsOfPhases(const RunSpec& run);
/// Sequences of all phases.
std::uint64_t samplesOfPhases(const RunSpec& run);
/// Steps of the run before the first one of the phase.
std::int64_t stepsBefore(const RunSpec& run, int phase);
/// The phase of step `step` of the run, from 1; the last one for later steps.
int phaseOfStep(const RunSpec& run, std::int64_t step);
RunSpec specOfStep(const RunSpec& run, std::int64_t step);

/// Sequences that the run consumes before the phase's first step.
std::uint64_t samplesBefore(const RunSpec& run, int phase);
/// Of each data set of the phase, the rows that earlier phases took of the same folder.
std::vector<std::uint64_t> rowsTakenBefore(const RunSpec& run, int phase);
/// Number of the phase's first sample: the sum of the rows taken before.
std::uint64_t firstSample(const RunSpec& run, int phase);

/// `run` with `rate` as the peak learning rate. Phases that name a lower one keep it.
RunSpec withLearningRate(RunSpec run, double rate);

} // namespace trainyard
