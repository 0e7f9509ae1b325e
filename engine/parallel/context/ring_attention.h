#pragma once

#include "engine/nn/context_parallel.h"
#include "engine/parallel/context/block_ring.h"

namespace trainyard {

/// Ring attention (Liu et al., arXiv:2310.01889): keys and values of every rank go round the ring of ranks
/// that share a sequence, and each rank's queries attend to the block at hand while the next one is under
/// way. The backward pass sends keys and values round once more, and behind them their gradients, to which
/// each rank adds its part; after a whole round they are at home. A rank never has more than two blocks of
/// keys and values, and probabilities of one tile.
class RingAttention final : public ContextParallel {
public:
    /// `ring`: the ranks that share the tokens of every sequence. It outlives this object and the graphs that
    /// it made.
    explicit RingAttention(ProcessGroup& ring) : m_ring(ring) {}

    int rank() const override { return m_ring.rank(); }
    int ranks() const override { return m_ring.ranks(); }
    at::Tensor attend(const at::Tensor& query_BALD, const at::Tensor& key_BALD, const at::Tensor& value_BALD,
                      const SharedAttention& attention) const override;

private:
    const BlockRing m_ring;
};

} // namespace trainyard
