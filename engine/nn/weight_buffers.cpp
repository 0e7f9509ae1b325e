#include "engine/nn/weight_buffers.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "engine/base/check.h"
#include "engine/memory/memory_scope.h"

namespace trainyard {

WeightBuffers::WeightBuffers(const FlatLayout& layout, WeightResidence residence, at::ScalarType type)
    : m_layout(layout), m_residence(residence)
{
    const auto options = at::TensorOptions().dtype(type);
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
    return m_buckets[index].storage().data() != nullptr;
}

at::Tensor WeightBuffers::ownedPart(std::size_t index) const
{
    const Sharding& sharding = m_layout.sharding();
    const std::int64_t size = m_layout.buckets()[index].size() / sharding.ownerRanks;
    return m_buckets[index].narrow(0, sharding.ownerRank * size, size);
}

void WeightBuffers::allocate(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == WeightResidence::Sharded && !isThere(index));
    const MemoryScope scope(MemoryCategory::Weights);
    c10::StorageImpl& storage = *m_buckets[index].storage().unsafeGetStorageImpl();
    storage.set_data_ptr_noswap(storage.allocator()->allocate(storage.nbytes()));
}

// The storage keeps its size: views can be made of it, and reading them is an error.
void WeightBuffers::release(std::size_t index)
{
    TRAINYARD_CHECK(m_residence == WeightResidence::Sharded);
    c10::StorageImpl& storage = *m_buckets[index].storage().unsafeGetStorageImpl();
    storage.set_data_ptr_noswap(c10::DataPtr(nullptr, storage.device()));
}

} // namespace trainyard
