#pragma once

#include <cstdint>
#include <string_view>

#include <torch/types.h>

namespace trainyard {

/// Fills a contiguous float32 or float64 tensor with normal numbers of mean 0. Element i depends only on
/// (seed, name, firstElement + i): any slice of a tensor gets what the whole tensor would have there.
void fillNormal(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double standardDeviation,
                std::int64_t firstElement = 0);

/// The same with numbers of equal density in (-bound, bound).
void fillUniform(at::Tensor& tensor, std::uint64_t seed, std::string_view name, double bound,
                 std::int64_t firstElement = 0);

} // namespace trainyard
