#pragma once

#include <cstdint>

#include <cuda_runtime_api.h>

#include "engine/nn/dropout_mask.h"

namespace trainyard {

/// What one launch fills; travels with it, as kernels' parameters do, in at most 4 KiB.
struct MaskBatch {
    static constexpr int kCapacity = 100;
    MaskTarget targets[kCapacity];
    int count = 0;
};
static_assert(sizeof(MaskBatch) <= 4000);

/// Enqueues the kernel that fills all targets.
cudaError_t launchFillMasks(const MaskBatch& batch, std::uint32_t dropBelow, const DropoutStream& site,
                            cudaStream_t stream);

/// Elements of one sample at a dropout site that lie apart, as the scores of some queries and keys of its
/// heads do: (head, row, column) is element firstElement + head * headStride + row * rowStride + column of
/// the sample. Their mask is dense.
struct MaskRectangle {
    std::uint8_t* mask = nullptr; ///< [heads, rows, columns]
    std::uint64_t sample = 0;
    std::int64_t firstElement = 0;
    std::int64_t heads = 0;
    std::int64_t headStride = 0;
    std::int64_t rows = 0; ///< of a head
    std::int64_t rowStride = 0;
    std::int64_t columns = 0;
};
struct RectangleBatch {
    static constexpr int kCapacity = 62;
    MaskRectangle rectangles[kCapacity];
    int count = 0;
};
static_assert(sizeof(RectangleBatch) <= 4000);

/// Enqueues the kernel that fills all rectangles: one launch, where launchFillMasks() would need a target for
/// each row.
cudaError_t launchFillRectangles(const RectangleBatch& batch, std::uint32_t dropBelow,
                                 const DropoutStream& site, cudaStream_t stream);

} // namespace trainyard
