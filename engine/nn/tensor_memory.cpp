#include "engine/nn/tensor_memory.h"

#include "engine/base/check.h"

namespace trainyard {

FloatSpan numbersOf(const at::Tensor& values)
{
    TRAINYARD_CHECK(values.is_contiguous());
    TRAINYARD_CHECK(values.scalar_type() == at::kDouble || values.scalar_type() == at::kFloat);
    const FloatType type = values.scalar_type() == at::kDouble ? FloatType::Float64 : FloatType::Float32;
    return FloatSpan(values.data_ptr(), static_cast<std::size_t>(values.numel()), type);
}

std::span<std::byte> memoryOf(const at::Tensor& values)
{
    TRAINYARD_CHECK(values.is_contiguous());
    return {static_cast<std::byte*>(values.data_ptr()), values.nbytes()};
}

} // namespace trainyard
