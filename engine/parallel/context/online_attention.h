#pragma once

#include <vector>

#include "engine/parallel/context/attention_tiles.h"

namespace trainyard {

/// softmax(Q K^T) V of some queries, one block of keys after another, without ever holding their
/// probabilities whole: of each query the largest score so far, the sum of the exponentials and the weighted
/// sum of the values, which are rescaled when a larger score comes (online softmax, Milakov and Gimelshein,
/// arXiv:1805.02867; Dao et al., arXiv:2205.14135). On one rank; sums are wide.
class OnlineAttention {
public:
    /// `query` [B, A, L, D], scaled already, of the tokens in `slice`. `attention` outlives this object.
    OnlineAttention(const at::Tensor& query_BALD, const SequenceSlice& slice,
                    const SharedAttention& attention);

    /// `keyValue` [2, B, A, L, D] of the tokens in `slice`.
    void add(const at::Tensor& keyValue, const SequenceSlice& slice);

    /// After all blocks: [B, A, L, D], wide.
    at::Tensor output() const { return m_weighted / m_sum; }
    /// log of the sum of exp(score) of each query, [B, A, L, 1], wide: all that its backward pass needs to
    /// compute probabilities again.
    at::Tensor logSumExp() const { return m_largest + m_sum.log(); }

private:
    void add(const at::Tensor& keyValue, const AttentionTile& tile);

    const SharedAttention& m_attention;
    const at::Tensor m_query;
    const std::vector<TokenRun> m_queries;
    at::Tensor m_largest;  // [B, A, L, 1]
    at::Tensor m_sum;      // [B, A, L, 1]
    at::Tensor m_weighted; // [B, A, L, D]
};

/// What the backward pass knows of the forward pass. All of the tokens of one slice.
struct AttentionResult {
    at::Tensor query;     ///< [B, A, L, D], as it was given
    at::Tensor output;    ///< [B, A, L, D]
    at::Tensor logSumExp; ///< [B, A, L, 1], wide
};

/// The gradients of OnlineAttention, one block of keys after another: probabilities are computed again, tile
/// by tile (Dao et al., arXiv:2205.14135, section 3.1).
class OnlineAttentionGradients {
public:
    /// `gradient` [B, A, L, D] of the output. `attention` outlives this object.
    OnlineAttentionGradients(AttentionResult result, const at::Tensor& gradient_BALD,
                             const SequenceSlice& slice, const SharedAttention& attention);

    /// The gradient of a block of keys and values that these queries make, [2, B, A, L, D], wide.
    at::Tensor add(const at::Tensor& keyValue, const SequenceSlice& slice);
    /// After all blocks: [B, A, L, D], wide.
    const at::Tensor& ofQuery() const { return m_ofQuery; }

private:
    void add(const at::Tensor& keyValue, const AttentionTile& tile, const at::Tensor& ofKeyValue);

    const SharedAttention& m_attention;
    const AttentionResult m_result;
    const at::Tensor m_gradient;
    const std::vector<TokenRun> m_queries;
    const at::Tensor m_along; // [B, A, L, 1]: gradient along the output, subtracted from that of every score
    at::Tensor m_ofQuery;     // [B, A, L, D]
};

} // namespace trainyard
