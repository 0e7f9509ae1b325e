#include "engine/device/cuda/mask_launch.h"

#include <algorithm>

#include "engine/device/cuda/launch.h"

namespace trainyard {

namespace {

constexpr std::int64_t kMaxBlocks = 4096; // per target; threads go on where they are fewer than lanes

// One row of blocks per target, one thread per lane of a group.
__global__ void fillMasks(const __grid_constant__ MaskBatch batch, std::uint32_t dropBelow,
                          const __grid_constant__ DropoutStream site)
{
    const MaskTarget& target = batch.targets[blockIdx.y];
    const std::int64_t lanes = dropoutGroups(target) * kDropoutLanes;
    for (std::int64_t i = firstElement(); i < lanes; i += allThreads())
        fillDropoutLane(target, i / kDropoutLanes, i % kDropoutLanes, dropBelow, site);
}

/// Groups that a row touches wherever it begins; a row that begins well has one fewer.
TRAINYARD_HOST_DEVICE inline std::int64_t groupsOfRow(const MaskRectangle& rectangle)
{
    return (rectangle.columns + kDropoutGroup - 2) / kDropoutGroup + 1;
}
TRAINYARD_HOST_DEVICE inline std::int64_t lanesOf(const MaskRectangle& rectangle)
{
    return rectangle.heads * rectangle.rows * groupsOfRow(rectangle) * kDropoutLanes;
}

/// Row `row` of all rows of all heads.
__device__ MaskTarget rowOf(const MaskRectangle& r, std::int64_t row)
{
    const std::int64_t first = r.firstElement + row / r.rows * r.headStride + row % r.rows * r.rowStride;
    return {r.mask + row * r.columns, first, r.columns, r.sample};
}

// One row of blocks per rectangle, one thread per lane of a group of a row.
__global__ void fillRectangles(const __grid_constant__ RectangleBatch batch, std::uint32_t dropBelow,
                               const __grid_constant__ DropoutStream site)
{
    const MaskRectangle& rectangle = batch.rectangles[blockIdx.y];
    const std::int64_t groups = groupsOfRow(rectangle);
    const std::int64_t lanes = lanesOf(rectangle);
    for (std::int64_t i = firstElement(); i < lanes; i += allThreads()) {
        const std::int64_t group = i / kDropoutLanes;
        fillDropoutLane(rowOf(rectangle, group / groups), group % groups, i % kDropoutLanes, dropBelow, site);
    }
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
    const dim3 grid(blocksFor(lanes, kMaxBlocks), static_cast<unsigned>(batch.count));
    return TRAINYARD_LAUNCH(fillMasks, grid, kThreads, stream, batch, dropBelow, site);
}

cudaError_t launchFillRectangles(const RectangleBatch& batch, std::uint32_t dropBelow,
                                 const DropoutStream& site, cudaStream_t stream)
{
    std::int64_t lanes = 0;
    for (int i = 0; i < batch.count; ++i) {
        if (batch.rectangles[i].columns > 0)
            lanes = std::max(lanes, lanesOf(batch.rectangles[i]));
    }
    if (lanes == 0)
        return cudaSuccess;
    const dim3 grid(blocksFor(lanes, kMaxBlocks), static_cast<unsigned>(batch.count));
    return TRAINYARD_LAUNCH(fillRectangles, grid, kThreads, stream, batch, dropBelow, site);
}

} // namespace trainyard
