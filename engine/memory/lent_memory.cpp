#include "engine/memory/lent_memory.h"

#include "engine/base/check.h"

namespace trainyard {

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
