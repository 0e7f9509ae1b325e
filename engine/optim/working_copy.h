#pragma once

#include "engine/optim/optimized_tensor.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// Whether the working copy is of bfloat16, which kernels can write beside the weights (bfloat16Bits()).
bool hasBFloat16Copy(const OptimizedTensor& tensor);

/// Working copy := master weights, rounded to its type, in a range that was just updated and so is still in
/// the cache. Nothing to do without a copy. Any thread.
void refreshWorkingCopy(const OptimizedTensor& tensor, const ElementRange& range);

} // namespace trainyard
