#pragma once

#include <variant>

#include "engine/nn/experts/experts.h"
#include "engine/nn/feed_forward.h"
#include "engine/nn/forward_pass.h"
#include "engine/nn/layers.h"
#include "engine/nn/low_rank_adapters.h"

namespace trainyard {

struct BranchNorms;
struct LayerNames;

/// One layer on hidden states [T, H], of an encoder or a decoder. With its norms behind the sums
///     a = norm(x + drop(attention(x))),           y = norm(a + drop(feedForward(a)))
/// and elsewhere, where each norm may be missing,
///     a = x + drop(norm(attention(norm(x)))),     y = a + drop(norm(feedForward(norm(a))))
/// the last with feedForward(norm(x)) where both branches see the layer's input (parallelResidual). In some
/// layers the feed-forward is a mixture of experts (ModelSpec::hasExperts). Layer l of the model (not of the
/// stage) uses the dropout sites 1 + 3 l .. 3 + 3 l.
class TransformerLayer {
public:
    TransformerLayer(const ModelSpec& model, int layer, const ParameterStore& parameters);

    at::Tensor forward(const at::Tensor& hidden_TH, const SharedPass& pass) const;
    int index() const { return m_layer; }

private:
    TransformerLayer(const ModelSpec& model, int layer, const LayerNames& names,
                     const ParameterStore& parameters);

    /// Norms of a branch; undefined where there is none.
    struct Norms {
        NormWeights before;
        NormWeights behind;
    };

    static Norms normsOf(const BranchNorms& names, const ModelSpec& model, const ParameterStore& parameters);
    Product attend(const at::Tensor& input_TH, const SharedPass& pass) const;
    Product feed(const at::Tensor& input_TH, const ForwardPass& pass) const;
    /// The residual and a branch that begins at the dropout site.
    at::Tensor sum(const at::Tensor& residual_TH, const Product& branch, const Norms& norms,
                   std::uint32_t site, const ForwardPass& pass) const;

    int m_layer;
    // Under tensor parallelism this rank's slices.
    LinearWeights m_queryKeyValue; ///< [(A + 2 K) D, H]: rows of query, key, value
    NormWeights m_queryNorm;       ///< undefined without QueryKeyNorm
    NormWeights m_keyNorm;
    LinearWeights m_attentionOutput;
    Norms m_attentionNorms;
    std::variant<FeedForward, Experts> m_feedForward;
    Norms m_feedForwardNorms;
    // Of attention's products; without model.lora there are none.
    LowRankAdapters m_queryKeyValueAdapters;
    LowRankAdapters m_attentionOutputAdapters;
};

} // namespace trainyard
