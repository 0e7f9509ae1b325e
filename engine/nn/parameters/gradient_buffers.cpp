#include "engine/nn/parameters/gradient_buffers.h"

#include <ATen/ops/zeros.h>

#include "engine/base/check.h"
#include "engine/memory/memory_scope.h"
#include "engine/memory/tensor_storage.h"

namespace trainyard {

GradientBuffers::GradientBuffers(const FlatLayout& layout, GradientResidence residence, at::ScalarType type,
                                 const Placement& placement)
    : m_layout(layout)
    , m_residence(residence)
    , m_bucketsPass(residence == GradientResidence::Sharded || placement.offloadsOptimizer)
    , m_options(at::TensorOptions().dtype(type).device(placement.device.place))
    , m_isKept(layout.trainedBuckets(), false)
    , m_buckets(layout.trainedBuckets())
{
    const MemoryScope scope(MemoryCategory::Gradients);
    const std::int64_t count = m_bucketsPass ? layout.trainedOwnedCount() : layout.trainedCount();
    m_resident = placement.offloadsOptimizer ? zerosOnHost(count, type, placement.device.place)
                                             : at::zeros({count}, m_options);
    for (std::size_t index = 0; !m_bucketsPass && index < m_buckets.size(); ++index) {
        const Bucket& bucket = layout.buckets()[index];
        m_buckets[index] = m_resident.narrow(0, bucket.begin, bucket.size());
    }
}

const at::Tensor& GradientBuffers::bucket(std::size_t index)
{
    if (!m_buckets[index].defined()) {
        const MemoryScope scope(MemoryCategory::Gradients);
        m_buckets[index] = at::zeros({m_layout.buckets()[index].size()}, m_options);
    }
    return m_buckets[index];
}

at::Tensor GradientBuffers::ownedPart(std::size_t index)
{
    const Bucket& place = m_layout.buckets()[index];
    return bucket(index).narrow(0, place.owned().begin - place.begin, place.owned().size());
}

void GradientBuffers::keepOwnedPart(std::size_t index)
{
    TRAINYARD_CHECK(m_bucketsPass);
    const at::Tensor part = ownedPart(index);
    const at::Tensor kept = keptPart(index);
    if (m_isKept[index])
        kept.add_(part.to(kept.device()));
    else
        kept.copy_(part);
    m_isKept[index] = true;
    m_buckets[index] = at::Tensor();
}

at::Tensor GradientBuffers::keptPart(std::size_t index) const
{
    const Bucket& bucket = m_layout.buckets()[index];
    return m_resident.narrow(0, m_bucketsPass ? bucket.shardBegin : bucket.owned().begin,
                             bucket.owned().size());
}

void GradientBuffers::beginStep()
{
    m_isKept.assign(m_isKept.size(), false);
}

at::Tensor GradientBuffers::of(const OwnedPiece& piece) const
{
    return m_resident.narrow(0, m_bucketsPass ? piece.shardOffset : piece.offset, piece.count);
}

} // namespace trainyard
