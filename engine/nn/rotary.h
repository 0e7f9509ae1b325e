#pragma once

#include <torch/types.h>

namespace trainyard {

/// Rotary positions (Su et al., arXiv:2104.09864) as Hugging Face's models have them: with D the width of a
/// head, numbers i and i + D/2 of a query or key at position p are turned together by p * 10000^(-2 i / D).
/// Products of queries and keys then depend on the distance of their positions only.
class RotaryTables {
public:
    /// `positions` [S], or [B, S] where sequences differ. Requires an even width.
    RotaryTables(const at::Tensor& positions, std::int64_t headWidth, at::ScalarType type);

    /// x [B, A, L, D], turned by L of the positions, from the one with index `first` on.
    at::Tensor turn(const at::Tensor& x_BALD, std::int64_t first = 0) const;

private:
    at::Tensor m_cosine; // [1 or B, 1, S, D]
    at::Tensor m_sine;
};

} // namespace trainyard
