#include "engine/nn/rotary.h"

#include <cmath>

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr double kBase = 10000.0;

} // namespace

RotaryTables::RotaryTables(const at::Tensor& positions, std::int64_t headWidth, at::ScalarType type)
{
    TRAINYARD_CHECK(headWidth % 2 == 0);
    const at::Tensor pairs = at::arange(headWidth / 2, positions.options().dtype(at::kDouble));
    const at::Tensor frequencies = (pairs * (-2.0 * std::log(kBase) / static_cast<double>(headWidth))).exp();
    const at::Tensor half = positions.to(at::kDouble).unsqueeze(-1) * frequencies;
    const std::int64_t sequences = positions.dim() == 2 ? positions.size(0) : 1;
    const at::Tensor angles = at::cat({half, half}, -1).view({sequences, 1, positions.size(-1), headWidth});
    m_cosine = angles.cos().to(type);
    m_sine = angles.sin().to(type);
}

at::Tensor RotaryTables::turn(const at::Tensor& x_BALD, std::int64_t first) const
{
    const std::int64_t length = x_BALD.size(2);
    const auto halves = x_BALD.chunk(2, -1);
    return x_BALD * m_cosine.narrow(2, first, length) +
           at::cat({-halves[1], halves[0]}, -1) * m_sine.narrow(2, first, length);
}

} // namespace trainyard
