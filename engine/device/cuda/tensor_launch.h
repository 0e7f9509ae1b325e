#pragma once

#include <algorithm>
#include <initializer_list>

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/device/cuda/number.h"

// From tensors to the pointers and types that launches take.

namespace trainyard {

/// Whether kernels take such tensors; undefined ones do not count.
inline bool haveKernelType(std::initializer_list<at::Tensor> tensors)
{
    const at::ScalarType type = tensors.begin()->scalar_type();
    const bool isKnown =
        type == at::kDouble || type == at::kFloat || type == at::kBFloat16 || type == at::kHalf;
    return isKnown && std::ranges::all_of(tensors, [&](const at::Tensor& tensor) {
               return !tensor.defined() || tensor.scalar_type() == type;
           });
}

template <typename T>
const T* readFrom(const at::Tensor& tensor)
{
    return tensor.defined() ? static_cast<const T*>(tensor.const_data_ptr()) : nullptr;
}
template <typename T>
T* writeTo(const at::Tensor& tensor)
{
    return tensor.defined() ? static_cast<T*>(tensor.mutable_data_ptr()) : nullptr;
}

/// In the type that kernels compute in for numbers of this tensor's.
inline at::Tensor emptyWide(const at::Tensor& like, at::IntArrayRef sizes)
{
    return at::empty(sizes,
                     like.options().dtype(like.scalar_type() == at::kDouble ? at::kDouble : at::kFloat));
}

/// enqueue(T(), stream) with the type T of the tensor's numbers, on its device's current stream. What a
/// launch needs for itself may be freed behind it: that memory is used again only by what comes later on the
/// stream.
template <typename Enqueue>
void launchFor(const at::Tensor& tensor, const Enqueue& enqueue)
{
    const c10::DeviceGuard guard(tensor.device());
    const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    switch (tensor.scalar_type()) {
    case at::kDouble:
        C10_CUDA_CHECK(enqueue(double(), stream));
        return;
    case at::kFloat:
        C10_CUDA_CHECK(enqueue(float(), stream));
        return;
    case at::kBFloat16:
        C10_CUDA_CHECK(enqueue(BFloat16(), stream));
        return;
    case at::kHalf:
        C10_CUDA_CHECK(enqueue(Float16(), stream));
        return;
    default:
        TORCH_CHECK(false, "no kernels for numbers of type ", tensor.scalar_type());
    }
}

} // namespace trainyard
