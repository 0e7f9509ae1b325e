#pragma once

#include <torch/types.h>

namespace trainyard {

/// Whether the host may read and write what lies there.
inline bool isHostMemory(c10::Device place)
{
    return place.is_cpu();
}

/// One-dimensional memory of the host for what waits there, or is updated there, while `device` computes the
/// rest. Counted as MemoryCategory::Host, whatever scope is open; pinned where the device is a GPU, so that
/// copies need not stop it. On a processor both are the same memory: only the category tells them apart.
at::Tensor emptyOnHost(std::int64_t count, at::ScalarType type, c10::Device device);
at::Tensor zerosOnHost(std::int64_t count, at::ScalarType type, c10::Device device);

/// Tensors whose memory comes and goes. Without it a tensor and its views keep their shapes, and reading them
/// is an error; what refers to the storage is good again once the memory is back.
bool hasMemory(const at::Tensor& tensor);
/// Gives the tensor's whole storage memory, with any content. Requires that it has none.
void giveMemory(const at::Tensor& tensor);
void takeMemory(const at::Tensor& tensor);

} // namespace trainyard
