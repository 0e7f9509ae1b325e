#pragma once

#include <span>

#include <torch/types.h>

#include "engine/nn/compute/compute.h"

namespace trainyard {

/// Products of the experts with their own rows: of x [N, in], whose first counts[0] rows are those of the
/// first expert and so on, and weight [E * out, in] the rows y = x W_e^T, [N, out]. The gradient of the
/// weight goes straight to its collector.
at::Tensor expertProduct(const at::Tensor& input_NI, const at::Tensor& weight,
                         std::span<const std::int64_t> counts, const Compute& compute);

} // namespace trainyard
