#pragma once

#include <string>

#include <torch/types.h>

#include "engine/checkpoint/format/safetensors.h"

namespace trainyard {

/// The format's name for an ATen type; stops the program for types that no checkpoint holds.
ElementType elementTypeOf(at::ScalarType type);
at::ScalarType scalarTypeOf(ElementType type);

/// View of a contiguous CPU tensor's memory, which must outlive it.
TensorBytes bytesOf(std::string name, const at::Tensor& tensor);
/// A tensor of its own with those values.
at::Tensor tensorFrom(const TensorBytes& bytes);

} // namespace trainyard
