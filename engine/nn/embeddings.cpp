#include "engine/nn/embeddings.h"

#include <ATen/ops/embedding.h>

#include "engine/nn/model_family.h"
#include "engine/nn/parameter_store.h"

namespace trainyard {

namespace {

constexpr std::uint32_t kSite = 0;

} // namespace

Embeddings::Embeddings(const ModelSpec& model, const ParameterStore& parameters)
{
    const EmbeddingNames names = familyOf(model).embeddingNames();
    m_words = parameters.leaf(names.words);
    if (model.positions == PositionEncoding::Learned)
        m_positions = parameters.leaf(names.positions);
    if (model.tokenTypes > 0)
        m_tokenTypes = parameters.leaf(names.tokenTypes);
    if (!names.norm.empty())
        m_norm = layerNormWeights(parameters, names.norm);
}

// [S, H], or [B, S, H] where the batch numbers its own positions.
at::Tensor Embeddings::positionsOf(const TokenBatch& batch) const
{
    return batch.positionIds.defined() ? at::embedding(m_positions, batch.positionIds)
                                       : m_positions.narrow(0, 0, batch.sequenceLength());
}

at::Tensor Embeddings::forward(const ForwardPass& pass) const
{
    at::Tensor sum_BSH = at::embedding(m_words, pass.batch.inputIds);
    if (m_tokenTypes.defined())
        sum_BSH = sum_BSH + at::embedding(m_tokenTypes, pass.batch.tokenTypeIds);
    if (m_positions.defined())
        sum_BSH = sum_BSH + positionsOf(pass.batch);
    at::Tensor hidden_TH = sum_BSH.view({-1, pass.model.hidden});
    if (m_norm.weight.defined())
        hidden_TH = layerNorm(hidden_TH, m_norm, pass.model.layerNormEpsilon);
    return pass.drop(hidden_TH, pass.model.dropout, kSite);
}

} // namespace trainyard
