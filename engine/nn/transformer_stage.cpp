#include "engine/nn/transformer_stage.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/stack.h>

#include "engine/base/check.h"
#include "engine/model/model_family.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

// Loss sums as the one tensor that a runner passes on: of those that are defined, then the predictions.
at::Tensor toVector(const LossSums& sums)
{
    std::vector<at::Tensor> parts;
    for (const at::Tensor& part : {sums.tokens, sums.sequences, sums.correctTokens, sums.correctSequences}) {
        if (part.defined())
            parts.push_back(part);
    }
    const at::Tensor scalars = at::stack(parts);
    return sums.predictions.defined() ? at::cat({scalars, sums.predictions.flatten()}) : scalars;
}

at::Tensor predictionsFrom(const at::Tensor& vector, std::int64_t first, std::int64_t sequences)
{
    const std::int64_t count = vector.size(0) - first;
    return vector.narrow(0, first, count).view({sequences, count / sequences});
}

LossSums fromVector(const at::Tensor& vector, const TokenBatch& batch, const TaskSpec& task, bool isCounted)
{
    const bool hasTokens = !task.judgesSequences();
    const bool hasSequences =
        task.hasHead() ? !hasTokens : vector.size(0) > (isCounted ? 2 : 1); // those of the next sentence
    std::int64_t next = 0;
    const auto take = [&](bool isThere) { return isThere ? vector.select(0, next++) : at::Tensor(); };
    LossSums sums;
    sums.tokens = take(hasTokens);
    sums.sequences = take(hasSequences);
    sums.correctTokens = take(isCounted && hasTokens);
    sums.correctSequences = take(isCounted && hasSequences && task.kind != TaskKind::Regress);
    if (isCounted && task.hasHead())
        sums.predictions = predictionsFrom(vector, next, batch.sequences());
    sums.targetCount = batch.targetCount();
    sums.sequenceCount = batch.sequences();
    return sums;
}

} // namespace

TransformerStage::TransformerStage(const ModelSpec& model, const StageRange& range,
                                   const ParameterStore& parameters, LayerRunner& runner,
                                   const StageSharing& sharing)
    : m_model(model)
    , m_range(range)
    , m_runner(runner)
    , m_setting{m_model,        runner,          computeScalarType(parameters.computeType()),
                sharing.tensor, sharing.experts, parameters.device(),
                sharing.context}
{
    if (range.embeddings)
        m_embeddings.emplace(model, parameters);
    for (int layer = range.firstLayer; layer < range.endLayer; ++layer)
        m_layers.emplace_back(model, layer, parameters);
    if (!range.head)
        return;
    if (model.hasFinalNorm())
        m_finalNorm = normWeights(parameters, headNames(model).finalNorm, model);
    const std::string decoder = model.tiedHead ? embeddingNames(model).words : headNames(model).decoder;
    m_head = makeHead(model, parameters, model.predictsWords() ? parameters.leaf(decoder) : at::Tensor());
}

SharedPass TransformerStage::begin(const StageInput& input) const
{
    TRAINYARD_CHECK(input.hidden.defined() != m_range.embeddings);
    return beginPass(m_setting, input.batch, input.dropout, input.cache, input.routerLossScale);
}

at::Tensor TransformerStage::hiddenStates(const StageInput& input, const SharedPass& pass) const
{
    at::Tensor hidden_TH = input.hidden;
    if (m_embeddings)
        hidden_TH = m_runner.run(kEmbeddingsPart, {},
                                 [this, pass](const at::Tensor&) { return m_embeddings->forward(*pass); });
    for (const TransformerLayer& layer : m_layers)
        hidden_TH = m_runner.run(layer.index(), hidden_TH, [&layer, pass](const at::Tensor& input_TH) {
            return layer.forward(input_TH, pass);
        });
    return hidden_TH;
}

// The ranks that share the tokens of the layers all compute the head of all tokens, each for its words.
Logits TransformerStage::headOf(const at::Tensor& hidden_TH, const ForwardPass& pass) const
{
    const at::Tensor all_TH = gatherTokens(hidden_TH, m_setting.parallel);
    const bool normed = m_finalNorm.weight.defined();
    return m_head->logits(
        normed ? norm(all_TH, m_finalNorm, m_model.layerNormEpsilon, pass.compute()) : all_TH, pass);
}

LossSums TransformerStage::lossesOf(const Logits& logits, const ForwardPass& pass, bool countsCorrect) const
{
    if (m_model.task.hasHead())
        return taskLossesOf(logits, pass, countsCorrect);
    const IndexRange words = vocabularyOf(m_model, m_setting.parallel);
    LossSums sums = lossSums(logits, pass.batch, pass.compute(), words, m_setting.parallel);
    if (countsCorrect)
        countCorrect(sums, logits, pass.batch, words, m_setting.parallel);
    return sums;
}

LossSums TransformerStage::taskLossesOf(const Logits& logits, const ForwardPass& pass,
                                        bool countsCorrect) const
{
    LossSums sums = taskLossSums(m_model.task, logits, pass.batch, pass.compute());
    if (!countsCorrect)
        return sums;
    countCorrect(sums, m_model.task, logits, pass.batch);
    sums.predictions = taskPredictions(m_model.task, logits, pass);
    return sums;
}

StageOutput TransformerStage::forward(const StageInput& input) const
{
    const SharedPass pass = begin(input);
    const at::Tensor hidden_TH = hiddenStates(input, pass);
    if (!m_head)
        return {hidden_TH, {}};
    const at::Tensor sums = m_runner.run(
        m_model.layers, hidden_TH, [this, pass, counts = input.countsCorrect](const at::Tensor& input_TH) {
            return toVector(lossesOf(headOf(input_TH, *pass), *pass, counts));
        });
    return {{}, fromVector(sums, pass->batch, m_model.task, input.countsCorrect)};
}

at::Tensor TransformerStage::emptyInput(const TokenBatch& batch) const
{
    const SequenceSlice slice = sliceHere(m_model, batch, m_setting.context);
    const std::int64_t sliced = batch.isPacked() ? slice.size() : batch.sequences() * slice.size();
    const IndexRange tokens = m_setting.parallel.tokensHere(m_setting.context ? sliced : batch.tokens());
    return at::empty({tokens.size(), m_model.hidden},
                     at::TensorOptions().dtype(m_setting.type).device(m_setting.device.place));
}

Logits TransformerStage::logits(const StageInput& input) const
{
    TRAINYARD_CHECK(m_head != nullptr);
    const SharedPass pass = begin(input);
    Logits logits;
    m_runner.run(m_model.layers, hiddenStates(input, pass), [&](const at::Tensor& input_TH) {
        logits = headOf(input_TH, *pass);
        return logits.tokens.defined() ? logits.tokens : logits.sequences;
    });
    return logits;
}

} // namespace trainyard
