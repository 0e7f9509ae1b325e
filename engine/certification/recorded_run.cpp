#include "engine/certification/recorded_run.h"

#include <mutex>

#include "engine/certification/synthetic_batch.h"
#include "engine/comm/phase_clock.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/training/replica.h"
#include "engine/training/replica_threads.h"
#include "engine/training/training_step.h"

namespace trainyard {

namespace {

/// The run as its ranks fill it in; each thread under the lock. Ranks that hold the same values overwrite
/// each other: that they agree is shown by the next step's.
class Recorder {
public:
    explicit Recorder(std::vector<RecordedStep>& steps) : m_steps(steps) {}

    void record(Step step, const StepOutcome& outcome, const Replica& replica)
    {
        const std::lock_guard lock(m_mutex);
        RecordedStep& recorded = m_steps[std::size_t(step.value - 1)];
        recorded.loss = outcome.tokenLoss + outcome.sequenceLoss;
        recorded.gradientNorm = outcome.gradientNorm;
        collect(recorded.gradients, replica, &OwnedTensor::gradient);
        collect(recorded.weights, replica, &OwnedTensor::master);
    }

private:
    std::mutex m_mutex;
    std::vector<RecordedStep>& m_steps;
};

Status trainRank(const RunSpec& spec, const SequenceShape& shape, const ProcessGroups& groups,
                 Replica& replica, Recorder& recorder)
{
    PhaseClock clock(nullptr);
    TrainingStep training(spec, {replica, groups, clock});
    for (Step step{1}; step.value <= spec.launch.steps; ++step.value) {
        TRAINYARD_TRY(const StepOutcome outcome,
                      training.run(step, syntheticInput(spec, shape, step, Rank{groups.coordinates.data}),
                                   [] { return Requests(); }));
        recorder.record(step, outcome, replica);
    }
    return {};
}

} // namespace

Result<std::vector<RecordedStep>> recordRun(const RunSpec& spec, const SequenceShape& shape)
{
    std::vector<RecordedStep> steps(std::size_t(spec.launch.steps));
    Recorder recorder(steps);
    TRAINYARD_TRY_STATUS(
        runReplicasAsThreads(spec, shape, [&](const ProcessGroups& groups, Replica& replica) {
            return trainRank(spec, shape, groups, replica, recorder);
        }));
    return steps;
}

} // namespace trainyard
