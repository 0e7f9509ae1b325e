#include "engine/training/training_step.h"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/comm/agreement.h"
#include "engine/memory/memory_scope.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/optim/gradient_norm.h"
#include "engine/planner/pipeline/make_schedule.h"

namespace trainyard {

namespace {

Error notFinite(const char* what, double value, Step step)
{
    return failed(
        fmt::format("the {} of step {} is {}", what, step.value, value),
        "lower optimizer.learning_rate or lengthen the warm-up, and resume; `trainyard checkpoints` "
        "lists where the run can start from");
}

std::vector<PipelineExecutor::Chunk> chunksOf(const Replica& replica)
{
    std::vector<PipelineExecutor::Chunk> chunks;
    for (const auto& chunk : replica.chunks())
        chunks.push_back({&chunk->stage(), &chunk->reducer(), &chunk->parameters()});
    return chunks;
}

std::vector<const TokenBatch*> pointersTo(const std::vector<TokenBatch>& batches)
{
    std::vector<const TokenBatch*> pointers;
    for (const TokenBatch& batch : batches)
        pointers.push_back(&batch);
    return pointers;
}

} // namespace

Status requireFinite(const StepOutcome& outcome, Step step)
{
    if (const double loss = outcome.tokenLoss + outcome.sequenceLoss; !std::isfinite(loss))
        return notFinite("loss", loss, step);
    if (!outcome.skipped && !std::isfinite(outcome.gradientNorm))
        return notFinite("gradient norm", outcome.gradientNorm, step);
    return {};
}

TrainingStep::TrainingStep(const RunSpec& spec, Parts parts, const LossScaleState& carried,
                           std::int64_t updatesBefore)
    : m_spec(spec)
    , m_parts(parts)
    , m_schedule(spec.optimizer, spec.launch.steps)
    , m_updatesBefore(updatesBefore)
    , m_scaler(spec.precision, carried)
    , m_executor(executorFor(spec.batch.accumulation))
{
}

PipelineExecutor TrainingStep::executorFor(int microBatches) const
{
    RunSpec spec = m_spec;
    spec.batch.accumulation = microBatches;
    return {makeSchedule(spec).value(), m_parts.groups.coordinates.pipeline, m_parts.groups.links,
            chunksOf(m_parts.replica), [&clock = m_parts.clock](StepPhase phase) { clock.enter(phase); }};
}

PipelineExecutor& TrainingStep::executorOf(const StepInput& input)
{
    const int microBatches = static_cast<int>(input.microBatches.size());
    if (microBatches == m_spec.batch.accumulation)
        return m_executor;
    if (!m_smaller || m_smaller->microBatches != microBatches)
        m_smaller.emplace(SmallerStep{microBatches, executorFor(microBatches)});
    return m_smaller->executor;
}

Result<StepOutcome> TrainingStep::run(Step step, Result<StepInput> input,
                                      const std::function<Requests()>& poll, PassTimes* times)
{
    // Before any pass: the losses are divided by the counts of the global batch, so that the gradients of the
    // micro-batches, however they are distributed, add up to the gradient of the batch's mean loss.
    TRAINYARD_TRY(const GlobalCounts counts, agreeOnCounts(input));
    if (times)
        times->start();
    const PassSums sums = computeGradients(step, *input, counts, times);
    const PassTimes::Scope update(times, {PipelineActionKind::OptimizerStep, -1, -1});
    m_parts.clock.enter(StepPhase::Optimizer);
    const double gradientNorm = m_parts.replica.gradientNorm() / m_scaler.scale();
    m_parts.clock.enter(StepPhase::Reduce);
    // One all-reduce for all values that the ranks must agree on: its cost is latency, not size.
    StepOutcome outcome = reduceOutcome(sums, counts, poll(), gradientNorm);
    m_parts.clock.enter(StepPhase::Optimizer);
    outcome.lossScale = m_scaler.scale();
    // A skipped step does not update the weights, so it does not advance the schedule.
    outcome.learningRate = m_schedule.at(step.value - m_scaler.state().skippedSteps - m_updatesBefore);
    if (!requireFinite(outcome, step).ok())
        return outcome;
    if (!outcome.skipped)
        m_parts.replica.update(outcome.learningRate,
                               clipCoefficient(outcome.gradientNorm, m_spec.optimizer) / outcome.lossScale);
    m_scaler.update(outcome.skipped);
    return outcome;
}

// Ranks of one model replica, and those that share its sequences, see the same samples, so the sum over all
// ranks counts each sample once for each of them.
Result<GlobalCounts> TrainingStep::agreeOnCounts(const Result<StepInput>& input)
{
    m_parts.clock.enter(StepPhase::Reduce);
    ProcessGroup& world = *m_parts.groups.world;
    std::array<double, 4> counts{0, 0, 0, 1}; // the last one counts the ranks without input
    if (input.ok())
        counts = {double(input->targets), double(input->sequences), double(input->tokens), 0};
    world.allReduce(std::span<double>(counts));
    // A rank without input adds to the count instead of failing alone, or the others would wait for it in the
    // passes.
    if (counts[3] > 0)
        return agree(world, input.ok() ? Status() : input.error()).error();
    const int timesCounted = world.size().value / m_spec.layout.data;
    const auto countOf = [&](double sum) { return std::llround(sum / timesCounted); };
    return GlobalCounts{countOf(counts[0]), countOf(counts[1]), countOf(counts[2])};
}

// Copies without waiting: the input's pinned memory outlives the step.
std::vector<TokenBatch> TrainingStep::batchesHere(const std::vector<MicroBatch>& microBatches) const
{
    const MemoryScope scope(MemoryCategory::Data);
    std::vector<TokenBatch> batches;
    for (const MicroBatch& microBatch : microBatches)
        batches.push_back(microBatch.batch.on(m_parts.device.place));
    return batches;
}

std::vector<LossSums> TrainingStep::evaluate(const std::vector<MicroBatch>& microBatches)
{
    const MemoryScope scope(MemoryCategory::Activations);
    const std::vector<TokenBatch> batches = batchesHere(microBatches);
    return m_executor.evaluate(pointersTo(batches));
}

PassSums TrainingStep::computeGradients(Step step, const StepInput& input, const GlobalCounts& counts,
                                        PassTimes* times)
{
    const MemoryScope scope(MemoryCategory::Activations);
    m_parts.replica.beginGradients();
    const std::vector<TokenBatch> batches = batchesHere(input.microBatches);
    const std::vector<const TokenBatch*> microBatches = pointersTo(batches);
    const PassSums sums =
        executorOf(input).run({microBatches, DropoutKey{m_spec.seed, static_cast<std::uint64_t>(step.value)},
                               counts.targets, counts.sequences, m_scaler.scale(), times});
    m_parts.clock.enter(StepPhase::Reduce);
    // Without a pipeline the executor has already reduced during the backward pass.
    if (m_spec.layout.pipeline == 1)
        return sums;
    const PassTimes::Scope reduction(times, {PipelineActionKind::ReduceGradients, -1, -1});
    m_parts.replica.reduceGradients();
    return sums;
}

StepOutcome TrainingStep::reduceOutcome(const PassSums& sums, const GlobalCounts& counts,
                                        const Requests& requests, double gradientNorm)
{
    // Tensor-parallel ranks all have the same losses, so only the first one adds them. Context ranks have
    // parts of them, and stages without the head have zero.
    const bool addsLosses = m_parts.groups.tensor->isFirst();
    // Groups that add their parts up in other orders may have another last bit of the norm, which would make
    // replicas differ: all clip by that of the first rank.
    std::array<double, 7> values{addsLosses ? sums.tokens : 0,
                                 addsLosses ? sums.sequences : 0,
                                 double(requests.stop),
                                 double(requests.checkpoint),
                                 double(requests.saving),
                                 double(!std::isfinite(gradientNorm)),
                                 m_parts.groups.world->isFirst() ? gradientNorm : 0};
    m_parts.groups.world->allReduce(std::span<double>(values));
    StepOutcome outcome;
    outcome.counts = counts;
    outcome.tokenLoss = values[0] / static_cast<double>(std::max<std::int64_t>(1, counts.targets));
    outcome.sequenceLoss = values[1] / static_cast<double>(std::max<std::int64_t>(1, counts.sequences));
    outcome.requests = {values[2] > 0, values[3] > 0, values[4] > 0};
    outcome.skipped = m_scaler.canSkip() && values[5] > 0;
    const bool isHidden = values[5] > 0 && std::isfinite(values[6]); // another rank's is not finite
    outcome.gradientNorm = isHidden ? std::numeric_limits<double>::quiet_NaN() : values[6];
    return outcome;
}

} // namespace trainyard
