#pragma once

#include <cstddef>
#include <span>

#include <torch/types.h>

#include "engine/comm/float_span.h"

namespace trainyard {

/// The numbers of a contiguous float32 or float64 tensor, for a collective that adds them up. Does not own
/// them.
FloatSpan numbersOf(const at::Tensor& values);

/// The bytes of a contiguous tensor of any type, for a collective that moves them.
std::span<std::byte> memoryOf(const at::Tensor& values);

} // namespace trainyard
