#pragma once

#include <array>
#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/device/cuda/number.h"

namespace trainyard {

// Tokens [T, parts A D] of `parts` (1, or 3 of queries, keys and values) to heads [B, A, S, D] of each and
// back, T = B S. T is double, float, BFloat16 or Float16.

struct HeadExtents {
    std::int64_t sequences = 0; ///< B
    std::int64_t heads = 0;     ///< A
    std::int64_t length = 0;    ///< S
    std::int64_t width = 0;     ///< D
    int parts = 1;
};

/// [B, A, S, D]; the numbers of a head's token lie side by side. Strides are in elements.
template <typename T>
struct HeadView {
    T* values = nullptr;
    std::int64_t sequenceStride = 0;
    std::int64_t headStride = 0;
    std::int64_t tokenStride = 0;
};

template <typename T>
using HeadViews = std::array<HeadView<T>, 3>;

/// Whether there are kernels for it: whole packs of 16 bytes, which begin at multiples of them.
template <typename T>
bool hasHeadKernel(const HeadExtents& extents, const T* tokens, const HeadViews<T>& heads);

/// The heads of part 0 are multiplied by `scale`. 1 read and 1 write.
template <typename T>
cudaError_t launchSplitHeads(const T* tokens, const HeadExtents& extents, double scale,
                             const HeadViews<T>& heads, cudaStream_t stream);
/// Part 0 is multiplied by `scale`. 1 read and 1 write.
template <typename T>
cudaError_t launchJoinHeads(const HeadViews<T>& heads, const HeadExtents& extents, double scale, T* tokens,
                            cudaStream_t stream);

} // namespace trainyard
