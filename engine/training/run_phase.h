#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/checkpoint/format/manifest.h"
#include "engine/comm/process_groups.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/training/data/training_data.h"
#include "engine/training/expert_load_recorder.h"
#include "engine/training/held_out_evaluation.h"
#include "engine/training/step_tracer.h"
#include "engine/training/training_step.h"

namespace trainyard {

struct TrainerSetup;

/// What a phase of a run has to itself on this rank: its specification, data, model and optimizer. A run
/// without phases is one phase. One thread; all ranks make the same calls.
class RunPhase {
public:
    /// What lasts as long as the run.
    struct Run {
        const TrainerSetup& setup;
        const ProcessGroups& groups;
        PhaseClock& clock;
    };

    /// Opens the data set of a phase and checks that all ranks have the same one. Errors are agreed; with
    /// phases they name the phase.
    static Result<TrainingData> openData(const TrainerSetup& setup, int number);
    /// Makes the phase's model, freshly initialised. `data`: of openData().
    static Result<std::unique_ptr<RunPhase>> create(const Run& run, int number, TrainingData data);

    /// Call once the replica is filled. Starts to read the samples that follow `position`.
    void start(const TrainingPosition& position);

    int number() const { return m_number; }
    const RunSpec& spec() const { return m_spec; } ///< of the phase
    Replica& replica() { return *m_replica; }
    std::int64_t firstStep() const { return m_stepsBefore + 1; } ///< of the run
    std::int64_t lastStep() const { return m_stepsBefore + m_spec.launch.steps; }
    /// Sequences of the step that follows `consumedSamples` sequences of the run.
    int globalBatchAfter(std::uint64_t consumedSamples) const
    {
        return m_ramp.globalAfter(consumedSamples - m_samplesBefore);
    }
    /// Micro-batches of each rank in a step of that many sequences.
    int microBatchesOf(int globalBatch) const
    {
        return globalBatch / (m_spec.batch.micro * m_spec.layout.data);
    }

    // After start():
    TrainingStep& step() { return *m_step; }
    StepTracer& tracer() { return *m_tracer; }
    ExpertLoadRecorder& expertLoads() { return *m_expertLoads; }
    StepLoader& loader() { return *m_loader; }
    bool evaluatesAfter(std::int64_t stepOfRun) const;
    HeldOutEvaluation& evaluation() { return *m_evaluation; } ///< requires evaluatesAfter() of some step

private:
    RunPhase(const Run& run, int number, TrainingData data);

    const Run m_run;
    const int m_number;
    const RunSpec m_spec;
    const std::int64_t m_stepsBefore;
    const std::uint64_t m_samplesBefore;
    const BatchRamp m_ramp;
    std::optional<TrainingData> m_data; // until start()
    std::unique_ptr<Replica> m_replica;
    std::optional<TrainingStep> m_step;
    std::optional<StepTracer> m_tracer;
    std::optional<ExpertLoadRecorder> m_expertLoads;
    std::unique_ptr<HeldOutEvaluation> m_evaluation; // null: the phase does not evaluate
    std::unique_ptr<StepLoader> m_loader;
};

} // namespace trainyard
