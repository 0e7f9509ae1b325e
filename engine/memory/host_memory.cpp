#include "engine/memory/host_memory.h"

#include <ATen/ops/empty.h>

#include "engine/memory/memory_scope.h"

namespace trainyard {

at::Tensor emptyOnHost(std::int64_t count, at::ScalarType type, c10::Device device)
{
    const MemoryScope scope(MemoryCategory::Host);
    return at::empty({count}, at::TensorOptions().dtype(type).pinned_memory(device.is_cuda()));
}

at::Tensor zerosOnHost(std::int64_t count, at::ScalarType type, c10::Device device)
{
    return emptyOnHost(count, type, device).zero_();
}

} // namespace trainyard
