#pragma once

#include <torch/types.h>

namespace trainyard {

/// The values in the type in which sums and losses run: float32, or float64 where they are so already.
inline at::Tensor inWideType(const at::Tensor& values)
{
    return values.scalar_type() == at::kDouble ? values : values.to(at::kFloat);
}

} // namespace trainyard
