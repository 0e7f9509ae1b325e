#include "engine/parallel/context/block_ring.h"

#include <utility>

#include <ATen/ops/empty.h>

#include "engine/comm/phase_clock.h"
#include "engine/comm/process_group.h"
#include "engine/memory/memory_scope.h"
#include "engine/nn/tensor_memory.h"

namespace trainyard {

BlockTransfer::BlockTransfer(at::Tensor outgoing, at::Tensor incoming, Work work)
    : m_outgoing(std::move(outgoing)), m_incoming(std::move(incoming)), m_work(std::move(work))
{
}

BlockTransfer& BlockTransfer::operator=(BlockTransfer&& other) noexcept
{
    finish();
    m_outgoing = std::move(other.m_outgoing);
    m_incoming = std::move(other.m_incoming);
    m_work = std::move(other.m_work);
    return *this;
}

BlockTransfer::~BlockTransfer()
{
    finish();
}

void BlockTransfer::finish() noexcept
{
    try {
        m_work.wait();
    } catch (const CommunicationError&) { // whoever needed the block was told
    }
}

at::Tensor BlockTransfer::take()
{
    const PhaseScope phase(StepPhase::Context);
    m_work.wait();
    m_outgoing.reset();
    return std::exchange(m_incoming, {});
}

int BlockRing::rank() const
{
    return m_group.rank().value;
}

int BlockRing::ranks() const
{
    return m_group.size().value;
}

BlockTransfer BlockRing::pass(const at::Tensor& block, at::IntArrayRef incomingShape) const
{
    const MemoryScope scope(MemoryCategory::Communication);
    const PhaseScope phase(StepPhase::Context);
    at::Tensor incoming = at::empty(incomingShape, block.options());
    Work work = m_group.shiftAsync(memoryOf(block), memoryOf(incoming));
    return {block, std::move(incoming), std::move(work)};
}

} // namespace trainyard
