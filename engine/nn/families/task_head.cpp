#include <optional>

#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>

#include "engine/base/check.h"
#include "engine/model/model_family.h"
#include "engine/nn/cross_entropy.h"
#include "engine/nn/families/model_head.h"
#include "engine/nn/families/prediction_transform.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/wide_type.h"
#include "engine/spec/families/family_table.h"

namespace trainyard {

namespace {

/// Behind the sites of the layers, of which layer l has 1 + 3 l to 3 + 3 l.
std::uint32_t dropoutSite(const ModelSpec& model)
{
    return static_cast<std::uint32_t>(3 * model.layers + 1);
}

// As Hugging Face's classes ...ForSequenceClassification, ...ForTokenClassification and
// ...ForQuestionAnswering compute it: BERT one product of the hidden states (Devlin et al., arXiv:1810.04805,
// section 4), RoBERTa the same with another pooler, ModernBERT behind the transform of its other head.
class TaskHead : public ModelHead {
public:
    TaskHead(const ModelSpec& model, const ParameterStore& parameters)
        : TaskHead(model, taskHeadNames(model), parameters)
    {
    }

    TaskHead(const ModelSpec& model, const TaskHeadNames& names, const ParameterStore& parameters)
        : m_task(model.task)
        , m_site(dropoutSite(model))
        , m_dropsFirstToken(familyTable(model.family).taskHeads.dropsFirstToken)
        , m_output(linearWeights(parameters, names.output))
    {
        if (!names.pooler.empty())
            m_pooler = linearWeights(parameters, names.pooler);
        if (!names.transform.empty())
            m_transform.emplace(model, parameters, names.transform, names.transformNorm);
    }

    Logits logits(const at::Tensor& hidden_TH, const ForwardPass& pass) const override
    {
        switch (m_task.kind) {
        case TaskKind::Tag:
            return {ofTargets(transformed(hidden_TH, pass), pass), {}};
        case TaskKind::Answer:
            return {{}, ofPositions(transformed(hidden_TH, pass), pass)};
        default:
            return {{}, ofSequences(hidden_TH, pass)};
        }
    }

private:
    at::Tensor transformed(const at::Tensor& hidden_TH, const ForwardPass& pass) const
    {
        return m_transform ? m_transform->apply(hidden_TH, pass.compute()) : hidden_TH;
    }

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
        const at::Tensor pooled_BH = pooled(first_BH, pass);
        return linear(pass.dropSequences(pooled_BH, m_task.dropout, m_site), m_output, pass.compute());
    }

    at::Tensor pooled(const at::Tensor& first_BH, const ForwardPass& pass) const
    {
        if (m_transform)
            return m_transform->apply(first_BH, pass.compute());
        const at::Tensor input_BH =
            m_dropsFirstToken ? pass.dropSequences(first_BH, m_task.dropout, m_site + 1) : first_BH;
        return at::tanh(linear(input_BH, m_pooler, pass.compute()));
    }

    TaskSpec m_task;
    std::uint32_t m_site; // and the next one, where the first token is dropped
    bool m_dropsFirstToken;
    LinearWeights m_pooler; // undefined where no token is pooled
    std::optional<PredictionTransform> m_transform;
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
