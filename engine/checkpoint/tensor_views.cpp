#include "engine/checkpoint/tensor_views.h"

#include <array>
#include <cstring>

#include <ATen/ops/empty.h>

#include "engine/base/check.h"

namespace trainyard {

namespace {

constexpr std::array<std::pair<ElementType, at::ScalarType>, 10> kTypes{{
    {ElementType::F64, at::kDouble},
    {ElementType::F32, at::kFloat},
    {ElementType::F16, at::kHalf},
    {ElementType::BF16, at::kBFloat16},
    {ElementType::I64, at::kLong},
    {ElementType::I32, at::kInt},
    {ElementType::I16, at::kShort},
    {ElementType::I8, at::kChar},
    {ElementType::U8, at::kByte},
    {ElementType::Bool, at::kBool},
}};

} // namespace

ElementType elementTypeOf(at::ScalarType type)
{
    for (const auto& [element, scalar] : kTypes) {
        if (scalar == type)
            return element;
    }
    TRAINYARD_CHECK_MSG(false, c10::toString(type));
    return ElementType::F32;
}

at::ScalarType scalarTypeOf(ElementType type)
{
    for (const auto& [element, scalar] : kTypes) {
        if (element == type)
            return scalar;
    }
    TRAINYARD_CHECK_MSG(false, "unknown element type");
    return at::kFloat;
}

TensorBytes bytesOf(std::string name, const at::Tensor& tensor)
{
    TRAINYARD_CHECK_MSG(tensor.is_contiguous(), name);
    return {std::move(name),
            elementTypeOf(tensor.scalar_type()),
            tensor.sizes().vec(),
            {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()}};
}

at::Tensor tensorFrom(const TensorBytes& bytes)
{
    at::Tensor tensor = at::empty(bytes.shape, scalarTypeOf(bytes.type));
    TRAINYARD_CHECK_MSG(tensor.nbytes() == bytes.bytes.size(), bytes.name);
    if (!bytes.bytes.empty())
        std::memcpy(tensor.mutable_data_ptr(), bytes.bytes.data(), bytes.bytes.size());
    return tensor;
}

} // namespace trainyard
