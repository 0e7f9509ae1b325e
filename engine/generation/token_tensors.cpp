#include "engine/generation/token_tensors.h"

#include <algorithm>

#include <ATen/ops/empty.h>

namespace trainyard {

at::Tensor tensorOf(const TokenIds& ids)
{
    const at::Tensor tensor = at::empty({std::ssize(ids)}, at::kLong);
    std::ranges::copy(ids, tensor.mutable_data_ptr<std::int64_t>());
    return tensor;
}

Result<LogitRows> LogitRows::of(const at::Tensor& logits_MV)
{
    if (!logits_MV.isfinite().all().item<bool>())
        return failed("the model produces values that are not finite",
                      "its training may have diverged: choose an earlier checkpoint");
    return LogitRows(logits_MV.to(at::kCPU, at::kDouble).contiguous());
}

std::span<const double> LogitRows::row(std::size_t index) const
{
    const auto width = static_cast<std::size_t>(m_values.size(1));
    return {m_values.const_data_ptr<double>() + index * width, width};
}

} // namespace trainyard
