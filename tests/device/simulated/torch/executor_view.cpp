#include "tests/device/simulated/torch/executor_view.h"

#include <cstring>

#include <ATen/EmptyTensor.h>
#include <c10/util/Exception.h>

#include "tests/device/simulated/torch/simulated_allocators.h"

namespace trainyard {

at::Tensor executorView(const at::Tensor& tensor)
{
    const void* const memory = tensor.storage().data();
    TORCH_CHECK(memory || tensor.numel() == 0,
                "a tensor whose memory was taken away is used: ", tensor.sizes());
    void* const executors =
        memory ? SimulatedMemory::instance().executors(reinterpret_cast<std::uintptr_t>(memory)) : nullptr;
    c10::Storage storage(c10::Storage::use_byte_size_t(), tensor.storage().nbytes(),
                         c10::DataPtr(executors, c10::DeviceType::CPU), nullptr, false);
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(),
                                                      tensor.storage_offset());
    return view;
}

TensorExtent extentOf(const at::Tensor& tensor)
{
    if (tensor.numel() == 0)
        return {};
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < tensor.dim(); ++i)
        last += (tensor.size(i) - 1) * tensor.stride(i);
    const auto* const begin = static_cast<const std::byte*>(tensor.storage().data()) +
                              static_cast<std::size_t>(tensor.storage_offset()) * tensor.itemsize();
    return {begin, static_cast<std::size_t>(last + 1) * tensor.itemsize()};
}

void noteElements(SimulatedWork& work, const at::Tensor& tensor, MemoryAccess access)
{
    TORCH_CHECK(tensor.numel() == 0 || tensor.storage().data(),
                "a tensor whose memory was taken away is used: ", tensor.sizes());
    const TensorExtent extent = extentOf(tensor);
    work.use(extent.begin, extent.bytes, access);
}

at::Tensor onDevice(const at::Tensor& values, SimulatedWork& work)
{
    at::Tensor result = at::detail::empty_strided_generic(
        values.sizes(), values.strides(), &simulatedAllocator(),
        c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), values.scalar_type());
    if (values.numel() == 0)
        return result;
    noteElements(work, result, MemoryAccess::Write);
    const TensorExtent from = extentOf(values);
    const TensorExtent to = extentOf(executorView(result));
    std::memcpy(const_cast<void*>(to.begin), from.begin, from.bytes);
    return result;
}

} // namespace trainyard
