#pragma once

#include <array>
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

} // namespace trainyard
