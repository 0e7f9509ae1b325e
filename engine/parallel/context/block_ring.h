#pragma once

#include <torch/types.h>

#include "engine/comm/work.h"

namespace trainyard {

class ProcessGroup;

/// A tensor on its way to the next rank of a ring, and the one that comes from the rank before. Waits before
/// it lets go of their memory.
class BlockTransfer {
public:
    BlockTransfer() = default; ///< nothing is under way
    BlockTransfer(at::Tensor outgoing, at::Tensor incoming, Work work);
    BlockTransfer(BlockTransfer&& other) noexcept = default;
    BlockTransfer& operator=(BlockTransfer&& other) noexcept;
    ~BlockTransfer();

    /// What came, once it is there; undefined where nothing was under way. Throws CommunicationError.
    at::Tensor take();

private:
    void finish() noexcept;

    at::Tensor m_outgoing;
    at::Tensor m_incoming;
    Work m_work;
};

/// Ranks in a circle, each of which hands blocks to the next one. One thread; all ranks make the same calls.
class BlockRing {
public:
    /// `group` outlives the ring and its transfers.
    explicit BlockRing(ProcessGroup& group) : m_group(group) {}

    int rank() const;
    int ranks() const;
    /// The rank whose block is here after `steps` passes.
    int originAfter(int steps) const { return (rank() + ranks() - steps % ranks()) % ranks(); }

    /// Starts to send a contiguous block to the next rank and to receive one of the same type, in this shape,
    /// from the rank before. Nobody may write to `block` before the transfer was taken.
    BlockTransfer pass(const at::Tensor& block, at::IntArrayRef incomingShape) const;

private:
    ProcessGroup& m_group;
};

} // namespace trainyard
