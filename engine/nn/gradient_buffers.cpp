#include "engine/nn/gradient_buffers.h"

#include <ATen/ops/zeros.h>

#include "engine/base/check.h"
#include "engine/memory/memory_scope.h"

namespace trainyard {

GradientBuffers::GradientBuffers(const FlatLayout& layout, GradientResidence residence, at::ScalarType type)
    : m_layout(layout), m_residence(residence), m_buckets(layout.buckets().size())
{
    const bool whole = residence == GradientResidence::Whole;
    m_resident =
        at::zeros({whole ? layout.flatCount() : layout.ownedCount()}, at::TensorOptions().dtype(type));
    for (std::size_t index = 0; whole && index < m_buckets.size(); ++index) {
        const Bucket& bucket = layout.buckets()[index];
        m_buckets[index] = m_resident.narrow(0, bucket.begin, bucket.size());
    }
}

const at::Tensor& GradientBuffers::bucket(std::size_t index)
{
    if (!m_buckets[index].defined()) {
        const MemoryScope scope(MemoryCategory::Gradients);
        m_buckets[index] = at::zeros({m_layout.buckets()[index].size()}, m_resident.options());
    }
    return m_buckets[index];
}

void GradientBuffers::release(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == GradientResidence::Sharded);
    m_buckets[index] = at::Tensor();
}

at::Tensor GradientBuffers::ownedPart(std::size_t index)
{
    const Sharding& sharding = m_layout.sharding();
    const std::int64_t size = m_layout.buckets()[index].size() / sharding.ownerRanks;
    return bucket(index).narrow(0, sharding.ownerRank * size, size);
}

void GradientBuffers::keepOwnedPart(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == GradientResidence::Sharded);
    const std::int64_t begin = m_layout.buckets()[index].begin / m_layout.sharding().ownerRanks;
    const at::Tensor part = ownedPart(index);
    m_resident.narrow(0, begin, part.numel()).add_(part);
}

void GradientBuffers::clearOwned()
{
    if (m_residence == GradientResidence::Sharded)
        m_resident.zero_();
}

at::Tensor GradientBuffers::of(const OwnedPiece& piece) const
{
    const bool whole = m_residence == GradientResidence::Whole;
    return m_resident.narrow(0, whole ? piece.offset : piece.shardOffset, piece.count);
}

} // namespace trainyard
