#include "engine/nn/parameters/weight_buffers.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "engine/base/check.h"
#include "engine/memory/memory_scope.h"
#include "engine/memory/tensor_storage.h"

namespace trainyard {

WeightBuffers::WeightBuffers(const FlatLayout& layout, WeightResidence residence, at::TensorOptions options)
    : m_layout(layout), m_residence(residence)
{
    if (residence == WeightResidence::Whole)
        m_whole = at::zeros({layout.flatCount()}, options);
    for (std::size_t index = 0; index < layout.buckets().size(); ++index) {
        const Bucket& bucket = layout.buckets()[index];
        m_buckets.push_back(m_whole.defined() ? m_whole.narrow(0, bucket.begin, bucket.size())
                                              : at::empty({bucket.size()}, options));
        if (!m_whole.defined())
            release(index);
    }
}

bool WeightBuffers::isThere(std::size_t index) const
{
    return hasMemory(m_buckets[index]);
}

at::Tensor WeightBuffers::ownedPart(std::size_t index) const
{
    const Bucket& bucket = m_layout.buckets()[index];
    return m_buckets[index].narrow(0, bucket.owned().begin - bucket.begin, bucket.owned().size());
}

void WeightBuffers::allocate(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == WeightResidence::Sharded);
    const MemoryScope scope(MemoryCategory::Weights);
    giveMemory(m_buckets[index]);
}

void WeightBuffers::release(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == WeightResidence::Sharded);
    takeMemory(m_buckets[index]);
}

} // namespace trainyard
