#include "engine/nn/embeddings.h"

#include <cmath>

#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/scalar_tensor.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include "engine/model/model_family.h"
#include "engine/nn/compute/kept_compute.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/parameters/parameter_store.h"

namespace trainyard {

namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr std::uint32_t kSite = 0;
constexpr std::int64_t kNoPadding = -1;

/// Rows of a table [N, H]. Their gradients are added to those of the table's rows where these lie; what is
/// not looked up is not touched, nor the row of the padding.
struct LookUp : torch::autograd::Function<LookUp> {
    static at::Tensor forward(AutogradContext* context, const at::Tensor& table_NH, const at::Tensor& ids_T,
                              std::int64_t padding, const Compute& compute)
    {
        keepCompute(context, compute);
        context->saved_data["padding"] = padding;
        context->save_for_backward({ids_T});
        context->saved_data["table"] = GradientRoute(table_NH).number();
        context->saved_data["rows"] = table_NH.size(0);
        return at::embedding(table_NH, ids_T);
    }

    static variable_list backward(AutogradContext* context, const variable_list& gradients)
    {
        const auto route = GradientRoute::fromNumber(context->saved_data["table"].toInt());
        return {route.deliverRows(gradients[0], context->get_saved_variables()[0],
                                  context->saved_data["rows"].toInt(), context->saved_data["padding"].toInt(),
                                  keptCompute(context)),
                at::Tensor(), at::Tensor(), at::Tensor()};
    }
};

// Of numbers [B, S] or [T] those of the given tokens.
at::Tensor ofTokens(const at::Tensor& numbers_BS, IndexRange tokens)
{
    return numbers_BS.reshape({-1}).narrow(0, tokens.begin, tokens.size());
}

// Rounded to float32, then to the type of the activations: models were trained with it.
at::Tensor embeddingScale(int hidden, const at::TensorOptions& options)
{
    return at::scalar_tensor(std::sqrt(static_cast<float>(hidden)), at::kFloat).to(options);
}

} // namespace

Embeddings::Embeddings(const ModelSpec& model, const ParameterStore& parameters)
    : m_padding(model.paddingWord)
{
    const EmbeddingNames names = embeddingNames(model);
    m_words = parameters.leaf(names.words);
    if (model.positions == PositionEncoding::Learned)
        m_positions = parameters.leaf(names.positions);
    if (model.tokenTypes > 0)
        m_tokenTypes = parameters.leaf(names.tokenTypes);
    if (model.embeddingNorm)
        m_norm = normWeights(parameters, names.norm, model);
}

// [T, H] of the words of all tokens, and of them this rank's tokens.
at::Tensor Embeddings::wordsOf(const ForwardPass& pass) const
{
    const at::Tensor ids_T = pass.batch.inputIds.view({-1});
    const TensorParallel& parallel = pass.parallel;
    if (!parallel.isOn())
        return LookUp::apply(m_words, ids_T, m_padding, pass.compute());
    const IndexRange mine = evenShare(pass.model.vocabulary, parallel.rank(), parallel.ranks());
    const at::Tensor here_T = ids_T.ge(mine.begin).logical_and_(ids_T.lt(mine.end));
    const std::int64_t padding =
        mine.begin <= m_padding && m_padding < mine.end ? m_padding - mine.begin : -1;
    const at::Tensor words_TH =
        LookUp::apply(m_words, at::where(here_T, ids_T - mine.begin, 0), padding, pass.compute()) *
        here_T.unsqueeze(1).to(m_words.scalar_type());
    return leaveCut(words_TH, parallel); // each word is a row of one rank
}

// Models of a single type know no segments.
at::Tensor Embeddings::typesOf(const ForwardPass& pass, IndexRange tokens) const
{
    const at::Tensor ids_T = m_tokenTypes.size(0) == 1
                                 ? at::zeros({tokens.size()}, pass.batch.inputIds.options())
                                 : ofTokens(pass.batch.tokenTypeIds, tokens);
    return LookUp::apply(m_tokenTypes, ids_T, kNoPadding, pass.compute());
}

at::Tensor Embeddings::positionsOf(const ForwardPass& pass, IndexRange tokens) const
{
    const TokenBatch& batch = pass.batch;
    const std::int64_t offset = pass.model.positionOffset; // where positions were counted: see beginPass()
    if (offset > 0)
        return LookUp::apply(m_positions, ofTokens(batch.positionIds + offset, tokens), offset - 1,
                             pass.compute());
    if (batch.positionIds.defined())
        return LookUp::apply(m_positions, ofTokens(batch.positionIds, tokens), kNoPadding, pass.compute());
    const std::int64_t length = batch.sequenceLength();
    if (tokens.size() == batch.tokens()) // every sequence counts from 0: no look-up
        return m_positions.narrow(0, 0, length)
            .unsqueeze(0)
            .expand({batch.sequences(), -1, -1})
            .reshape({tokens.size(), -1});
    const at::Tensor ids_T = at::arange(tokens.begin, tokens.end, batch.inputIds.options()).remainder(length);
    return LookUp::apply(m_positions, ids_T, kNoPadding, pass.compute());
}

at::Tensor Embeddings::forward(const ForwardPass& pass) const
{
    const IndexRange tokens = pass.tokensHere();
    at::Tensor hidden_TH = wordsOf(pass);
    if (pass.model.scaledEmbeddings)
        hidden_TH = hidden_TH * embeddingScale(pass.model.hidden, hidden_TH.options());
    if (m_tokenTypes.defined())
        hidden_TH = hidden_TH + typesOf(pass, tokens);
    if (m_positions.defined())
        hidden_TH = hidden_TH + positionsOf(pass, tokens);
    if (m_norm.weight.defined())
        hidden_TH = norm(hidden_TH, m_norm, pass.model.layerNormEpsilon, pass.compute());
    return pass.dropTokens(hidden_TH, pass.model.dropout, kSite);
}

} // namespace trainyard
