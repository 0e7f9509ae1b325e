#include "engine/parallel/context/online_attention.h"

#include <ATen/ops/full.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros.h>

namespace trainyard {

namespace {

at::Tensor wide(const at::Tensor& values)
{
    return values.to(wideType(values.scalar_type()));
}

// A product of two tensors of the compute type, for a wide sum.
at::Tensor product(const at::Tensor& a, const at::Tensor& b)
{
    return wide(at::matmul(a.to(b.scalar_type()), b));
}

at::Tensor ofEachQuery(const at::Tensor& query_BALD, std::int64_t width, double value)
{
    return at::full({query_BALD.size(0), query_BALD.size(1), query_BALD.size(2), width}, value,
                    query_BALD.options().dtype(wideType(query_BALD.scalar_type())));
}

at::Tensor dropped(const at::Tensor& values, const at::Tensor& factors)
{
    return factors.defined() ? values * factors : values;
}

at::Tensor factorsFor(const at::Tensor& scores_BAQK, const AttentionTile& tile,
                      const SharedAttention& attention)
{
    return dropoutFactors(tile, scores_BAQK.size(1), scores_BAQK.options(), attention);
}

} // namespace

OnlineAttention::OnlineAttention(const at::Tensor& query_BALD, const SequenceSlice& slice,
                                 const SharedAttention& attention)
    : m_attention(attention)
    , m_query(query_BALD)
    , m_queries(runsOf(slice))
    , m_largest(ofEachQuery(query_BALD, 1, lowestOf(wideType(query_BALD.scalar_type()))))
    , m_sum(ofEachQuery(query_BALD, 1, 0))
    , m_weighted(ofEachQuery(query_BALD, query_BALD.size(3), 0))
{
}

void OnlineAttention::add(const at::Tensor& keyValue, const SequenceSlice& slice)
{
    for (const AttentionTile& tile : tilesOf(m_queries, runsOf(slice), m_attention))
        add(keyValue, tile);
}

void OnlineAttention::add(const at::Tensor& keyValue, const AttentionTile& tile)
{
    at::Tensor largest = tile.queries.of(m_largest);
    at::Tensor sum = tile.queries.of(m_sum);
    at::Tensor weighted = tile.queries.of(m_weighted);
    at::Tensor exponentials =
        scoresOf(tile.queries.of(m_query), tile.keys.of(keyValue[0]), tile, m_attention);
    const at::Tensor newLargest = at::maximum(largest, exponentials.amax(-1, true));
    exponentials.sub_(newLargest).exp_();
    const at::Tensor rescale = (largest - newLargest).exp_();
    sum.mul_(rescale).add_(exponentials.sum(-1, true));
    const at::Tensor kept = dropped(exponentials, factorsFor(exponentials, tile, m_attention));
    weighted.mul_(rescale).add_(product(kept, tile.keys.of(keyValue[1])));
    largest.copy_(newLargest);
}

OnlineAttentionGradients::OnlineAttentionGradients(AttentionResult result, const at::Tensor& gradient_BALD,
                                                   const SequenceSlice& slice,
                                                   const SharedAttention& attention)
    : m_attention(attention)
    , m_result(std::move(result))
    , m_gradient(gradient_BALD)
    , m_queries(runsOf(slice))
    , m_along((wide(m_gradient) * wide(m_result.output)).sum(-1, true))
    , m_ofQuery(ofEachQuery(m_result.query, m_result.query.size(3), 0))
{
}

at::Tensor OnlineAttentionGradients::add(const at::Tensor& keyValue, const SequenceSlice& slice)
{
    const at::Tensor ofKeyValue =
        at::zeros(keyValue.sizes(), keyValue.options().dtype(wideType(keyValue.scalar_type())));
    for (const AttentionTile& tile : tilesOf(m_queries, runsOf(slice), m_attention))
        add(keyValue, tile, ofKeyValue);
    return ofKeyValue;
}

// With P the probabilities, M the dropout factors, G the gradient of the output:
//     dV = (P M)^T G,    dP = (G V^T) M,    dS = P (dP - rowsum(G O)),    dQ = dS K,    dK = dS^T Q
// where rowsum(G O) = rowsum(P dP) with dropout as well.
void OnlineAttentionGradients::add(const at::Tensor& keyValue, const AttentionTile& tile,
                                   const at::Tensor& ofKeyValue)
{
    const at::Tensor query = tile.queries.of(m_result.query);
    const at::Tensor gradient = tile.queries.of(m_gradient);
    const at::Tensor key = tile.keys.of(keyValue[0]);
    const at::Tensor value = tile.keys.of(keyValue[1]);
    const at::Tensor probabilities =
        scoresOf(query, key, tile, m_attention).sub_(tile.queries.of(m_result.logSumExp)).exp_();
    const at::Tensor factors = factorsFor(probabilities, tile, m_attention);
    tile.keys.of(ofKeyValue[1]).add_(product(dropped(probabilities, factors).transpose(-1, -2), gradient));
    const at::Tensor ofScores = dropped(product(gradient, value.transpose(-1, -2)), factors)
                                    .sub_(tile.queries.of(m_along))
                                    .mul_(probabilities);
    tile.queries.of(m_ofQuery).add_(product(ofScores, key));
    tile.keys.of(ofKeyValue[0]).add_(product(ofScores.transpose(-1, -2), query));
}

} // namespace trainyard
