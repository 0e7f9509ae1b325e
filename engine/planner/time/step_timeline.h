#pragma once

#include "engine/base/result.h"
#include "engine/planner/pipeline/simulator.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// The most passes that a picture can show readably; more only take time to simulate.
constexpr int kMaxPlayedPasses = 200'000;

/// An optimizer step as a picture shows it: what each pipeline rank does when, in seconds. Transfers are left
/// out, for they go on beside the passes.
struct StepTimeline {
    PipelineShape shape{}; ///< of what was played
    int microBatches = 1;  ///< of the whole step; the first shape.microBatches of them were played
    PipelineTimeline played{};

    bool isWhole() const { return shape.microBatches == microBatches; }
};

/// Plays a run's schedule with `costs` in seconds (StepModel::costs()). Of a step with more than `mostPasses`
/// forward and backward passes as many micro-batches as keep below, but no fewer than fill the pipeline.
/// Refused as makeSchedule() says; requires costs for every stage.
Result<StepTimeline> playStep(const RunSpec& spec, const PipelineCosts& costs,
                              int mostPasses = kMaxPlayedPasses);

} // namespace trainyard
