#include "engine/parallel/pipeline/pipeline_executor.h"

#include <utility>

#include <ATen/ops/empty.h>
#include <c10/core/GradMode.h>
#include <torch/autograd.h>

#include "engine/base/check.h"
#include "engine/comm/process_groups.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"
#include "engine/parallel/data/gradient_reducer.h"
#include "engine/parallel/pipeline/pass_times.h"

namespace trainyard {

namespace {

bool isForwardPart(PipelineActionKind kind)
{
    return kind == PipelineActionKind::Forward || kind == PipelineActionKind::SendActivation ||
           kind == PipelineActionKind::ReceiveActivation;
}

} // namespace

PipelineExecutor::PipelineExecutor(const PipelineSchedule& schedule, int rank, const StageLinks& links,
                                   std::vector<Chunk> chunks, std::function<void(StepPhase)> enterPhase)
    : m_shape(schedule.shape)
    , m_actions(schedule.ranks[static_cast<std::size_t>(rank)])
    , m_links(links)
    , m_chunks(std::move(chunks))
    , m_enterPhase(std::move(enterPhase))
{
    TRAINYARD_CHECK(m_chunks.size() == static_cast<std::size_t>(m_shape.chunks));
}

void PipelineExecutor::start(const StepPasses& passes)
{
    TRAINYARD_CHECK(passes.microBatches.size() == static_cast<std::size_t>(m_shape.microBatches));
    m_passing.assign(m_chunks.size() * passes.microBatches.size(), {});
    m_done.assign(m_chunks.size(), 0);
    m_losses.clear();
}

PassSums PipelineExecutor::run(const StepPasses& passes)
{
    start(passes);
    for (const PipelineAction& action : m_actions)
        execute(action, passes);
    return sumLosses();
}

// All ranks leave out the same actions, so what is left ends as the whole lists do: it waits for less.
std::vector<LossSums> PipelineExecutor::evaluate(std::span<const TokenBatch* const> microBatches)
{
    const c10::AutoGradMode noGraph(false);
    const StepPasses passes{.microBatches = microBatches, .dropout = std::nullopt};
    start(passes);
    for (const PipelineAction& action : m_actions) {
        if (isForwardPart(action.kind))
            execute(action, passes);
    }
    return std::exchange(m_losses, {});
}

PassSums PipelineExecutor::sumLosses() const
{
    PassSums sums;
    for (const LossSums& losses : m_losses) {
        sums.tokens += losses.tokenSum();
        sums.sequences += losses.sequenceSum();
    }
    return sums;
}

PipelineExecutor::Passing& PipelineExecutor::at(const PipelineAction& action)
{
    return m_passing[static_cast<std::size_t>(action.chunk * m_shape.microBatches + action.microBatch)];
}

void PipelineExecutor::execute(const PipelineAction& action, const StepPasses& passes)
{
    switch (action.kind) {
    case PipelineActionKind::Forward:
        return forward(action, passes);
    case PipelineActionKind::Backward:
    case PipelineActionKind::BackwardWeight:
        return backward(action, passes);
    case PipelineActionKind::BackwardInput:
        return backwardInput(action, passes);
    case PipelineActionKind::SendActivation:
        return sendActivation(action, passes);
    case PipelineActionKind::ReceiveActivation:
        return receiveActivation(action, passes);
    case PipelineActionKind::SendGradient:
        m_enterPhase(StepPhase::Transfers);
        m_links.gradientsOut->send(memoryOf(at(action).input.grad().contiguous()));
        // The last use of the input. Freed here, no more micro-batches are held than the memory plan counts.
        return at(action).input.reset();
    case PipelineActionKind::ReceiveGradient:
        return receiveGradient(action);
    case PipelineActionKind::ReduceGradients:
    case PipelineActionKind::OptimizerStep:
        return;
    }
}

void PipelineExecutor::forward(const PipelineAction& action, const StepPasses& passes)
{
    m_enterPhase(StepPhase::Forward);
    const PassTimes::Scope noted(passes.times, action);
    const TransformerStage& stage = *m_chunks[static_cast<std::size_t>(action.chunk)].stage;
    Passing& passing = at(action);
    const bool evaluates = !passes.dropout;
    const TokenBatch& batch = *passes.microBatches[static_cast<std::size_t>(action.microBatch)];
    const StageOutput output = stage.forward({batch, passing.input, passes.dropout, evaluates, nullptr,
                                              evaluates ? 0 : passes.routerLossScale(batch)});
    if (evaluates)
        passing.input.reset(); // no backward pass needs it
    if (!stage.range().head) {
        passing.output = output.hidden;
        return;
    }
    m_losses.push_back(output.losses.detached());
    if (evaluates)
        return;
    // The loss scale goes in here, where gradients begin, so that float16 gradients of activations do not
    // underflow on the way back either.
    passing.output =
        output.losses.normalised(passes.globalTargets, passes.globalSequences) * passes.lossScale;
}

void PipelineExecutor::sendActivation(const PipelineAction& action, const StepPasses& passes)
{
    m_enterPhase(StepPhase::Transfers);
    // Sends copy and return: a blocking one could wait for a rank that waits for this one.
    m_links.activationsOut->send(memoryOf(at(action).output.detach().contiguous()));
    if (!passes.dropout)
        at(action).output.reset();
}

void PipelineExecutor::receiveActivation(const PipelineAction& action, const StepPasses& passes)
{
    m_enterPhase(StepPhase::Bubble);
    const TransformerStage& stage = *m_chunks[static_cast<std::size_t>(action.chunk)].stage;
    const at::Tensor hidden =
        stage.emptyInput(*passes.microBatches[static_cast<std::size_t>(action.microBatch)]);
    m_links.activationsIn->receive(memoryOf(hidden));
    // A leaf, at which this rank's graph ends; its gradient goes to the stage before.
    at(action).input = passes.dropout ? hidden.requires_grad_(true) : hidden;
}

void PipelineExecutor::receiveGradient(const PipelineAction& action)
{
    m_enterPhase(StepPhase::Bubble);
    Passing& passing = at(action);
    passing.gradient = at::empty(passing.output.sizes(), passing.output.options());
    m_links.gradientsIn->receive(memoryOf(passing.gradient));
}

// All of the backward pass, or after backwardInput() the gradients of the weights.
void PipelineExecutor::backward(const PipelineAction& action, const StepPasses& passes)
{
    m_enterPhase(StepPhase::Backward);
    const PassTimes::Scope noted(passes.times, action);
    Passing& passing = at(action);
    const auto chunk = static_cast<std::size_t>(action.chunk);
    GradientReducer& reducer = *m_chunks[chunk].reducer;
    const std::size_t count = passes.microBatches.size();
    const bool reduces = reducesAfter(chunk, count);
    if (reduces)
        reducer.arm(m_done[chunk] + 1 == count ? GradientReducer::Completes::Step
                                               : GradientReducer::Completes::Pass);
    ++m_done[chunk];
    if (passing.isInputDone) {
        const c10::AutoGradMode noGraph(false); // the factors may be leaves, and this is no backward pass
        passing.pending.compute();
    } else {
        passBack(passing);
    }
    if (!reduces)
        return;
    m_enterPhase(StepPhase::Reduce);
    reducer.finish();
}

// With neighbours only where it must: transfers and reductions share the communication thread, where a
// reduction that waits for another replica holds up the transfers that other stages wait for. Nobody waits
// for ever: all replicas have the same list of actions, and sends do not wait, so what waits for what is the
// order of the list.
bool PipelineExecutor::reducesAfter(std::size_t chunk, std::size_t count) const
{
    const GradientReducer& reducer = *m_chunks[chunk].reducer;
    return hasNeighbours() ? reducer.shardsGradients() : reducer.reducesAfter(m_done[chunk], count);
}

void PipelineExecutor::passBack(Passing& passing)
{
    torch::autograd::backward({passing.output}, {passing.gradient});
    passing.output.reset();
    passing.gradient.reset();
}

// Only what the stage before waits for: the products for the weights' gradients wait. The first stage has
// none that waits for it.
void PipelineExecutor::backwardInput(const PipelineAction& action, const StepPasses& passes)
{
    Passing& passing = at(action);
    if (!passing.input.defined())
        return;
    m_enterPhase(StepPhase::Backward);
    const PassTimes::Scope noted(passes.times, action);
    ParameterStore& parameters = *m_chunks[static_cast<std::size_t>(action.chunk)].parameters;
    parameters.deferGradients(&passing.pending);
    passBack(passing);
    parameters.deferGradients(nullptr);
    passing.isInputDone = true;
}

} // namespace trainyard
