#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/tensor_box.h"

namespace trainyard {

/// Whether two of the boxes have an element in common; all lie inside the tensor. In the time of a sort for
/// ranges of the row-major tensor and for ranges of its cuts by rows and columns, as ranks hold them.
bool anyOverlap(const std::vector<std::int64_t>& shape, const std::vector<TensorBox>& boxes);

} // namespace trainyard
