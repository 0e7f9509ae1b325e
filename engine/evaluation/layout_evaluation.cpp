#include "engine/evaluation/layout_evaluation.h"

#include <mutex>

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "engine/comm/process_groups.h"
#include "engine/evaluation/batch_rows.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/tensor_memory.h"
#include "engine/spec/data_set_rules.h"
#include "engine/spec/limits.h"
#include "engine/spec/validate.h"
#include "engine/training/replica.h"
#include "engine/training/replica_threads.h"
#include "engine/training/training_step.h"

namespace trainyard {

namespace {

/// One rank's part of the evaluation.
class RankEvaluation {
public:
    RankEvaluation(const RunSpec& spec, const TokenBatch& batch, const ProcessGroups& groups,
                   Replica& replica)
        : m_spec(spec)
        , m_batch(batch)
        , m_groups(groups)
        , m_replica(replica)
        , m_sequences(spec.batch.accumulation)
        , m_first(m_sequences * groups.coordinates.data)
    {
    }

    /// The step's outcome, whose loss scale the gradients have.
    Result<StepOutcome> computeGradients()
    {
        StepInput input;
        for (std::int64_t i = 0; i < m_sequences; ++i) {
            const TokenBatch sequence = sequencesOf(m_batch, m_first + i, 1);
            input.targets += sequence.targetCount();
            input.sequences += 1;
            input.microBatches.push_back({sequence, sequence.sequenceLength()});
        }
        PhaseClock clock(nullptr);
        TrainingStep training(m_spec, {m_replica, m_groups, clock});
        for (;;) {
            TRAINYARD_TRY(const StepOutcome outcome, training.run(Step{1}, input, [] { return Requests(); }));
            if (!outcome.skipped) // for a lower scale
                return outcome;
        }
    }

    /// Of this rank's sequences and words; undefined on ranks without the head.
    Logits computeLogits()
    {
        const c10::AutoGradMode noGraph(false);
        const TokenBatch asked = askedHere();
        at::Tensor hidden;
        for (const auto& chunk : m_replica.chunks()) {
            const TransformerStage& stage = chunk->stage();
            if (!stage.range().embeddings && m_spec.layout.pipeline > 1)
                m_groups.links.activationsIn->receive(memoryOf(hidden = stage.emptyInput(asked)));
            if (stage.range().head)
                return stage.logits({asked, hidden, std::nullopt});
            hidden = stage.forward({asked, hidden, std::nullopt}).hidden.contiguous();
            m_groups.links.activationsOut->send(memoryOf(hidden));
            hidden.reset();
        }
        return {};
    }

    /// Puts this rank's part where it belongs.
    void place(const Logits& part, Logits& whole) const
    {
        const std::int64_t first =
            predictsEverywhere() ? m_first * m_batch.sequenceLength() : targetsBefore(m_batch, m_first);
        if (part.tokens.defined()) {
            const IndexRange columns = columnsHere();
            whole.tokens.narrow(1, columns.begin, columns.size())
                .index_copy_(0, targetsIn(askedHere(), slice()) + first, part.tokens.to(at::kDouble));
        }
        if (part.sequences.defined() && slice().hasFirst())
            whole.sequences.narrow(0, m_first, m_sequences).copy_(part.sequences);
    }

private:
    bool predictsEverywhere() const { return givesEveryToken(m_spec.model); }

    /// Of the logits of tokens; those of a task's head are not shared.
    IndexRange columnsHere() const
    {
        const ModelSpec& model = m_spec.model;
        return model.predictsWords() ? vocabularyOf(model, tensorParallel())
                                     : IndexRange{0, model.task.outputs()};
    }

    /// This rank's sequences and the places whose logits are wanted.
    TokenBatch askedHere() const
    {
        TokenBatch asked = sequencesOf(m_batch, m_first, m_sequences);
        if (!predictsEverywhere())
            return asked;
        asked.targetPositions = at::arange(asked.inputIds.numel(), at::kLong);
        asked.targets = asked.inputIds.reshape({-1});
        return asked;
    }

    SequenceSlice slice() const
    {
        return sliceFor(m_batch, m_groups.coordinates.context, m_spec.layout.context,
                        m_spec.model.isDecoder());
    }

    TensorParallel tensorParallel() const
    {
        return m_spec.layout.tensor > 1 ? TensorParallel{m_groups.tensor.get(), m_spec.layout.sequence}
                                        : TensorParallel{};
    }

    const RunSpec& m_spec;
    const TokenBatch& m_batch;
    const ProcessGroups& m_groups;
    Replica& m_replica;
    const std::int64_t m_sequences; ///< of this rank
    const std::int64_t m_first;     ///< its first one
};

at::Tensor emptySequenceLogits(const TaskSpec& task, const TokenBatch& batch)
{
    return task.kind == TaskKind::Answer
               ? at::zeros({batch.sequences(), 2, batch.sequenceLength()}, at::kDouble)
               : at::zeros({batch.sequences(), task.outputs()}, at::kDouble);
}

Logits emptyLogits(const ModelSpec& model, const TokenBatch& batch)
{
    if (model.task.judgesSequences())
        return {{}, emptySequenceLogits(model.task, batch)};
    const std::int64_t places = givesEveryToken(model) ? batch.inputIds.numel() : batch.targetCount();
    const int columns = model.predictsWords() ? model.vocabulary : model.task.labels;
    Logits logits{at::zeros({places, columns}, at::kDouble), {}};
    if (model.predictsNextSentence())
        logits.sequences = at::zeros({batch.sequences(), 2}, at::kDouble);
    return logits;
}

} // namespace

bool givesEveryToken(const ModelSpec& model)
{
    return (model.family != ModelFamily::Bert && model.predictsWords()) || model.task.kind == TaskKind::Tag;
}

Result<RunSpec> evaluationRun(const RunSpec& layout, const ModelSpec& model, ComputeType precision,
                              const TokenBatch& batch)
{
    RunSpec spec = layout;
    spec.model = model;
    spec.model.dropout = 0;
    spec.model.attentionDropout = 0;
    spec.model.task.dropout = 0;
    spec.model.experts.balanceLoss = 0;
    spec.model.experts.zLoss = 0;
    spec.precision.compute = precision;
    spec.dataset = {.path = "/unused"};
    spec.batch.ramp = {};
    spec.cluster.nodes = {NodeSpec{.slotCount = kMaxRanks}};
    const int sequences = int(batch.sequences());
    const int data = std::max(1, spec.layout.data); // validate() refuses less
    if (sequences % data != 0)
        return refused(
            fmt::format("layout.data: the inputs' {} sequences do not divide evenly among {} ranks",
                        sequences, spec.layout.data),
            fmt::format("make layout.data a divisor of {}", sequences));
    spec.batch = {sequences, 1, sequences / data};
    Diagnostics diagnostics = validate(spec);
    const Diagnostics sharing = sharingProblems(spec, int(batch.sequenceLength()));
    diagnostics.insert(diagnostics.end(), sharing.begin(), sharing.end());
    if (!diagnostics.empty())
        return toError(diagnostics);
    return spec;
}

Result<LayoutEvaluation> evaluateInLayout(const RunSpec& spec, const WholeTensors& weights,
                                          const TokenBatch& batch, const Device& device)
{
    LayoutEvaluation evaluation{0, emptyLogits(spec.model, batch), {}};
    double lossScale = 1;
    std::mutex mutex;
    const SequenceShape shape{int(batch.sequenceLength()), int(batch.sequenceLength())};
    const auto evaluateRank = [&](const ProcessGroups& groups, Replica& replica) -> Status {
        fillWeights(replica, weights);
        RankEvaluation rank(spec, batch, groups, replica);
        const Logits logits = rank.computeLogits();
        TRAINYARD_TRY(const StepOutcome outcome, rank.computeGradients());
        const std::lock_guard lock(mutex);
        if (logits.tokens.defined() || logits.sequences.defined())
            rank.place(logits, evaluation.logits);
        evaluation.loss = outcome.tokenLoss + outcome.sequenceLoss;
        lossScale = outcome.lossScale;
        collect(evaluation.gradients, replica, &OwnedTensor::gradient);
        return {};
    };
    TRAINYARD_TRY_STATUS(runReplicasAsThreads(spec, shape, evaluateRank, device));
    for (auto& [name, gradient] : evaluation.gradients)
        gradient.div_(lossScale);
    return evaluation;
}

} // namespace trainyard
