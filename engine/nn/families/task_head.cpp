#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>

#include "engine/base/check.h"
#include "engine/model/bert_head_names.h"
#include "engine/nn/cross_entropy.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/wide_type.h"

namespace trainyard {

namespace {

/// Behind the sites of the layers, of which layer l has 1 + 3 l to 3 + 3 l.
std::uint32_t dropoutSite(const ModelSpec& model)
{
    return static_cast<std::uint32_t>(3 * model.layers + 1);
}

// One product of the hidden states, as the classes BertForSequenceClassification, BertForTokenClassification
// and BertForQuestionAnswering of Hugging Face compute it (Devlin et al., arXiv:1810.04805, section 4).
class TaskHead : public ModelHead {
public:
    TaskHead(const ModelSpec& model, const ParameterStore& parameters)
        : m_task(model.task)
        , m_site(dropoutSite(model))
        , m_output(linearWeights(parameters, bert_head::taskOutput(model.task)))
    {
        if (m_task.poolsFirstToken())
            m_pooler = linearWeights(parameters, bert_head::kPooler);
    }

    Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const override
    {
        switch (m_task.kind) {
        case TaskKind::Tag:
            return {ofTargets(hidden_TH, pass), {}};
        case TaskKind::Answer:
            return {{}, ofPositions(hidden_TH, pass)};
        default:
            return {{}, ofSequences(hidden_TH, pass)};
        }
    }

private:
    at::Tensor ofTargets(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor dropped_TH = pass.dropAllTokens(hidden_TH, m_task.dropout, m_site);
        return linear(dropped_TH.index_select(0, pass.batch.targetPositions), m_output, pass.compute());
    }

    // Padding takes part, as it does there.
    at::Tensor ofPositions(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        TRAINYARD_CHECK(!pass.batch.isPacked() && pass.slice.isWhole());
        return linear(hidden_TH, m_output, pass.compute())
            .view({pass.batch.sequences(), pass.batch.sequenceLength(), 2})
            .transpose(1, 2)
            .contiguous();
    }

    // Of no sequence where their first tokens lie on another rank.
    at::Tensor ofSequences(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        const at::Tensor first_BH = hidden_TH.index_select(0, pass.firstTokens());
        const at::Tensor pooled_BH = at::tanh(linear(first_BH, m_pooler, pass.compute()));
        return linear(pass.dropSequences(pooled_BH, m_task.dropout, m_site), m_output, pass.compute());
    }

    TaskSpec m_task;
    std::uint32_t m_site;
    LinearWeights m_pooler; // undefined where no token is pooled
    LinearWeights m_output;
};

// Filler at the end of a packed batch has no label.
at::Tensor labelled(const Logits& logits, const TokenBatch& batch)
{
    return logits.sequences.narrow(0, 0, batch.sequenceLabels.size(0));
}

at::Tensor squaredErrorSum(const at::Tensor& outputs_B1, const at::Tensor& values_B)
{
    const at::Tensor outputs_B = inWideType(outputs_B1.squeeze(1));
    return (outputs_B - values_B.to(outputs_B.scalar_type())).square().sum();
}

// Half of each: the mean of the losses of first and last position.
at::Tensor answerLossSum(const at::Tensor& logits_B2S, const at::Tensor& positions_B2, const Compute& compute)
{
    return crossEntropySum(logits_B2S.flatten(0, 1), positions_B2.flatten(), compute) / 2.0;
}

at::Tensor sequenceLossSum(const TaskSpec& task, const at::Tensor& logits, const at::Tensor& labels,
                           const Compute& compute)
{
    if (task.kind == TaskKind::Regress)
        return squaredErrorSum(logits, labels);
    return task.kind == TaskKind::Answer ? answerLossSum(logits, labels, compute)
                                         : crossEntropySum(logits, labels, compute);
}

// Both positions of an answer have to be right.
at::Tensor correctSequences(const TaskSpec& task, const at::Tensor& logits, const at::Tensor& labels)
{
    if (task.kind != TaskKind::Answer)
        return correctPredictions(logits, labels, {}, {});
    return logits.argmax(-1).eq(labels).all(1).sum().to(inWideType(logits).scalar_type());
}

} // namespace

std::unique_ptr<const ModelHead> makeTaskHead(const ModelSpec& model, const ParameterStore& parameters)
{
    return std::make_unique<const TaskHead>(model, parameters);
}

LossSums taskLossSums(const TaskSpec& task, const Logits& logits, const TokenBatch& batch,
                      const Compute& compute)
{
    LossSums sums;
    if (task.judgesSequences())
        sums.sequences = sequenceLossSum(task, labelled(logits, batch), batch.sequenceLabels, compute);
    else
        sums.tokens = crossEntropySum(logits.tokens, batch.targets, compute);
    sums.targetCount = batch.targetCount();
    sums.sequenceCount = batch.sequences();
    return sums;
}

void countCorrect(LossSums& sums, const TaskSpec& task, const Logits& logits, const TokenBatch& batch)
{
    if (task.kind == TaskKind::Tag)
        sums.correctTokens = correctPredictions(logits.tokens, batch.targets, {}, {});
    else if (task.kind != TaskKind::Regress)
        sums.correctSequences = correctSequences(task, labelled(logits, batch), batch.sequenceLabels);
}

} // namespace trainyard
