#include "engine/training/training_step.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <torch/autograd.h>

#include "engine/comm/agreement.h"
#include "engine/nn/parameter_store.h"
#include "engine/optim/gradient_norm.h"
#include "engine/parallel/data/weight_gatherer.h"
#include "engine/training/memory/memory_scope.h"

namespace trainyard {

namespace {

Error notFinite(const char* what, double value, Step step)
{
    return failed(fmt::format("the {} of step {} is {}", what, step.value, value),
                  "lower optimizer.learning_rate or lengthen the warm-up, and resume; the last checkpoint is "
                  "from before");
}

} // namespace

Status requireFinite(const StepOutcome& outcome, Step step)
{
    if (const double loss = outcome.tokenLoss + outcome.sequenceLoss; !std::isfinite(loss))
        return notFinite("loss", loss, step);
    if (!std::isfinite(outcome.gradientNorm))
        return notFinite("gradient norm", outcome.gradientNorm, step);
    return {};
}

TrainingStep::TrainingStep(const RunSpec& spec, Parts parts)
    : m_spec(spec)
    , m_parts(parts)
    , m_schedule(spec.optimizer, spec.launch.steps)
    , m_tensors(optimizedTensors(parts.replica.parameters()))
{
}

Result<StepOutcome> TrainingStep::run(Step step, Result<StepInput> input, const RunRequests& requests)
{
    TRAINYARD_TRY(const GlobalCounts counts, agreeOnCounts(input));
    const StepSums sums = computeGradients(step, *input, counts);
    StepOutcome outcome = reduceOutcome(sums, counts, requests.look());
    m_parts.clock.enter(StepPhase::Optimizer);
    outcome.gradientNorm = globalGradientNorm(m_tensors, m_parts.replica.sums());
    if (requireFinite(outcome, step).ok())
        update(step, outcome);
    return outcome;
}

// Ranks of one model replica see the same samples, so the sum over all ranks counts each sample once per rank
// of a replica.
Result<GlobalCounts> TrainingStep::agreeOnCounts(const Result<StepInput>& input)
{
    m_parts.clock.enter(StepPhase::Reduce);
    ProcessGroup& world = *m_parts.groups.world;
    std::array<double, 4> counts{0, 0, 0, 1}; // the last one: ranks without input
    if (input.ok())
        counts = {double(input->targets), double(input->sequences), double(input->tokens), 0};
    world.allReduce(std::span<double>(counts));
    if (counts[3] > 0)
        return agree(world, input.ok() ? Status() : input.error()).error();
    const int ranksPerReplica = world.size().value / m_parts.groups.data->size().value;
    const auto countOf = [&](double sum) { return std::llround(sum / ranksPerReplica); };
    return GlobalCounts{countOf(counts[0]), countOf(counts[1]), countOf(counts[2])};
}

TrainingStep::StepSums TrainingStep::computeGradients(Step step, const StepInput& input,
                                                      const GlobalCounts& counts)
{
    const MemoryScope scope(MemoryCategory::Activations);
    m_parts.replica.parameters().beginGradients();
    StepSums sums;
    for (std::size_t i = 0; i < input.microBatches.size(); ++i) {
        const bool reduces = m_parts.reducer.reducesAfter(i, input.microBatches.size());
        const StepSums micro = forwardBackward(step, input.microBatches[i].batch, counts, reduces);
        sums.tokens += micro.tokens;
        sums.sequences += micro.sequences;
        if (!reduces)
            continue;
        m_parts.clock.enter(StepPhase::Reduce);
        m_parts.reducer.finish();
    }
    return sums;
}

TrainingStep::StepSums TrainingStep::forwardBackward(Step step, const TokenBatch& batch,
                                                     const GlobalCounts& counts, bool reduces)
{
    m_parts.clock.enter(StepPhase::Forward);
    const DropoutKey dropout{m_spec.seed, static_cast<std::uint64_t>(step.value)};
    const LossSums losses = m_parts.replica.model().forward(batch, dropout);
    const at::Tensor loss = losses.normalised(counts.targets, counts.sequences);
    m_parts.clock.enter(StepPhase::Backward);
    if (reduces)
        m_parts.reducer.arm();
    loss.backward();
    return {losses.tokenSum(), losses.sequenceSum()};
}

StepOutcome TrainingStep::reduceOutcome(const StepSums& sums, const GlobalCounts& counts,
                                        const Requests& requests)
{
    const bool speaks =
        m_parts.groups.tensor->isFirst(); // the others of its tensor group have the same losses
    std::array<double, 4> values{speaks ? sums.tokens : 0, speaks ? sums.sequences : 0, double(requests.stop),
                                 double(requests.checkpoint)};
    m_parts.groups.world->allReduce(std::span<double>(values));
    StepOutcome outcome;
    outcome.counts = counts;
    outcome.tokenLoss = values[0] / static_cast<double>(std::max<std::int64_t>(1, counts.targets));
    outcome.sequenceLoss = values[1] / static_cast<double>(counts.sequences);
    outcome.requests = {values[2] > 0, values[3] > 0};
    return outcome;
}

void TrainingStep::update(Step step, StepOutcome& outcome)
{
    outcome.learningRate = m_schedule.at(step.value);
    const double scale = clipCoefficient(outcome.gradientNorm, m_spec.optimizer);
    m_parts.replica.optimizer().step(outcome.learningRate, scale);
    gatherWeights(m_parts.replica.parameters(), *m_parts.groups.data);
}

} // namespace trainyard
