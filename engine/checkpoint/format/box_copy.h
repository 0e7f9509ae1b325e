#pragma once

#include <cstddef>
#include <span>

#include "engine/base/tensor_box.h"

namespace trainyard {

/// A box of a tensor and its values, row-major and packed.
template <typename Byte>
struct BoxView {
    TensorBox box;
    std::span<Byte> bytes;
};

bool overlap(const TensorBox& a, const TensorBox& b);

/// Copies the values that two boxes of one tensor have in common.
void copyOverlap(const BoxView<const std::byte>& from, const BoxView<std::byte>& to,
                 std::size_t elementBytes);

} // namespace trainyard
