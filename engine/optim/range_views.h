#pragma once

#include <cstdint>

#include "engine/optim/moments.h"
#include "engine/optim/optimized_tensor.h"
#include "engine/optim/ranges.h"

namespace trainyard {

/// What the kernels of a range are given. Addresses of host or device memory, as long as the tensors live.
template <typename T>
MomentStreams<T> streamsOf(const OptimizedTensor& tensor, const Moments::Pair& moments,
                           const ElementRange& range)
{
    return {tensor.master.mutable_data_ptr<T>() + range.begin,
            moments.average.mutable_data_ptr<T>() + range.begin,
            moments.squareAverage.mutable_data_ptr<T>() + range.begin,
            tensor.gradient.const_data_ptr<T>() + range.begin};
}

/// Where kernels write the new weights as bfloat16 bits; null where the working copy is not of that type.
std::uint16_t* bfloat16CopyOf(const OptimizedTensor& tensor, const ElementRange& range);

/// Working copy := master weights, rounded to its type, in a range that was just updated and so is still in
/// the cache. Nothing to do without a copy. Any thread.
void refreshWorkingCopy(const OptimizedTensor& tensor, const ElementRange& range);
/// The same, unless kernels wrote bfloat16CopyOf().
void refreshOtherCopy(const OptimizedTensor& tensor, const ElementRange& range);

} // namespace trainyard
