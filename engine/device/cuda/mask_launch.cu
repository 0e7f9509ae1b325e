#include "engine/device/cuda/mask_launch.h"

#include <algorithm>

namespace trainyard {

namespace {

constexpr int kThreads = 256;
constexpr std::int64_t kMaxBlocks = 4096; // per target; threads go on where they are fewer than lanes

// One row of blocks per target, one thread per lane of a group.
__global__ void fillMasks(const __grid_constant__ MaskBatch batch, std::uint32_t dropBelow,
                          const __grid_constant__ DropoutStream site)
{
    const MaskTarget& target = batch.targets[blockIdx.y];
    const std::int64_t lanes = dropoutGroups(target) * kDropoutLanes;
    const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < lanes; i += threads)
        fillDropoutLane(target, i / kDropoutLanes, i % kDropoutLanes, dropBelow, site);
}

} // namespace

cudaError_t launchFillMasks(const MaskBatch& batch, std::uint32_t dropBelow, const DropoutStream& site,
                            cudaStream_t stream)
{
    std::int64_t lanes = 0;
    for (int i = 0; i < batch.count; ++i)
        lanes = std::max(lanes, dropoutGroups(batch.targets[i]) * kDropoutLanes);
    if (lanes == 0)
        return cudaSuccess;
    const dim3 grid(static_cast<unsigned>(std::min((lanes + kThreads - 1) / kThreads, kMaxBlocks)),
                    static_cast<unsigned>(batch.count));
    fillMasks<<<grid, kThreads, 0, stream>>>(batch, dropBelow, site);
    return cudaGetLastError();
}

} // namespace trainyard
