#pragma once

#include <torch/types.h>

namespace trainyard {

/// Tensors whose memory comes and goes. Without it a tensor and its views keep their shapes, and reading them
/// is an error; what refers to the storage is good again once the memory is back.
bool hasMemory(const at::Tensor& tensor);
/// Gives the tensor's whole storage memory, with any content. Requires that it has none.
void giveMemory(const at::Tensor& tensor);
void takeMemory(const at::Tensor& tensor);

} // namespace trainyard
