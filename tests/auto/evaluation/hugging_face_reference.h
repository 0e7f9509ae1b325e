#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/ops/linalg_vector_norm.h>

#include "engine/checkpoint/format/safetensors.h"

namespace trainyard {

inline double normOf(const at::Tensor& tensor)
{
    return at::linalg_vector_norm(tensor).item<double>();
}

inline bool isGradient(const TensorBytes& tensor)
{
    return tensor.name.starts_with("grad.");
}

/// 1 where one has more values than the other.
inline double worstRelative(const std::vector<double>& actual, const std::vector<double>& expected)
{
    double worst = actual.size() == expected.size() ? 0 : 1;
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i)
        worst = std::max(worst, std::abs(actual[i] - expected[i]) / std::abs(expected[i]));
    return worst;
}

} // namespace trainyard
