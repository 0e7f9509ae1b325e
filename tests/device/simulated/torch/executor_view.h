#pragma once

#include <ATen/core/Tensor.h>

#include "tests/device/simulated/simulated_device.h"

namespace trainyard {

/// The elements of a tensor of the simulated device or in pinned memory as a processor tensor, at the
/// executor's address: what the processor computes there, the device has computed. Shapes and strides are
/// those of the tensor. Does not note an access.
at::Tensor executorView(const at::Tensor& tensor);

/// The bytes from the first to the last element of a tensor.
struct TensorExtent {
    const void* begin = nullptr;
    std::size_t bytes = 0;
};
TensorExtent extentOf(const at::Tensor& tensor);

/// Notes that the work reads or writes the elements of a tensor of the simulated device.
void noteElements(SimulatedWork& work, const at::Tensor& tensor, MemoryAccess access);

/// A new tensor of the simulated device with the values, shape and strides of a processor's, written by
/// `work`.
at::Tensor onDevice(const at::Tensor& values, SimulatedWork& work);

} // namespace trainyard
