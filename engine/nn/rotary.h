#pragma once

#include <torch/types.h>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Rotary positions (Su et al., arXiv:2104.09864) as Hugging Face's models have them: of the first R = share
/// * D numbers of a head of width D, i and i + R/2 are turned together by position * frequency i. Products of
/// queries and keys then depend on the distance of their positions only.
class RotaryTables {
public:
    /// `positions` [S], or [B, S] where sequences differ. `windowed`: of layers with a window. `type`: of
    /// what is turned, in float64 then and else in float32. Requires that R is even.
    RotaryTables(const at::Tensor& positions, const ModelSpec& model, bool windowed, at::ScalarType type);

    /// x [B, A, L, D] of that type, turned by L of the positions, from the one with index `first` on.
    at::Tensor turn(const at::Tensor& x_BALD, std::int64_t first = 0) const;

private:
    at::Tensor m_cosine; // [1 or B, 1, S, R]
    at::Tensor m_sine;
};

/// Numbers of a head that are turned.
int turnedWidth(const ModelSpec& model);

/// What pair i turns by per position, [R / 2]; with a scaling see RopeScaling.
std::vector<double> ropeFrequencies(const ModelSpec& model, double base);

} // namespace trainyard
