#include "engine/memory/tensor_storage.h"

#include <ATen/ops/empty.h>

#include "engine/base/check.h"
#include "engine/memory/memory_scope.h"

namespace trainyard {

at::Tensor emptyOnHost(std::int64_t count, at::ScalarType type, c10::Device device)
{
    const MemoryScope scope(MemoryCategory::Host);
    return at::empty({count}, at::TensorOptions().dtype(type).pinned_memory(!device.is_cpu()));
}

at::Tensor zerosOnHost(std::int64_t count, at::ScalarType type, c10::Device device)
{
    return emptyOnHost(count, type, device).zero_();
}

bool hasMemory(const at::Tensor& tensor)
{
    return tensor.storage().data() != nullptr;
}

void giveMemory(const at::Tensor& tensor)
{
    TRAINYARD_CHECK(!hasMemory(tensor));
    c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
    storage.set_data_ptr_noswap(storage.allocator()->allocate(storage.nbytes()));
}

void takeMemory(const at::Tensor& tensor)
{
    c10::StorageImpl& storage = *tensor.storage().unsafeGetStorageImpl();
    storage.set_data_ptr_noswap(c10::DataPtr(nullptr, storage.device()));
}

} // namespace trainyard
