#pragma once

#include <array>

#include <torch/types.h>

namespace trainyard {

/// B sequences of S tokens, T = B S; A heads of width D.
struct HeadShape {
    std::int64_t sequences = 0;
    std::int64_t heads = 0;
    std::int64_t length = 0;
    std::int64_t width = 0;
};

/// Queries, keys and values [T, 3 A D] as three contiguous tensors [B, A, S, D], the queries times `scale`:
/// one pass, and one back. Differentiable.
std::array<at::Tensor, 3> splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape, double scale);

/// [B, A, S, D] as [T, A D]. Differentiable.
at::Tensor mergeHeads(const at::Tensor& context_BASD);

} // namespace trainyard
