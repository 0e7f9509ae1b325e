#include "engine/device/cuda/cuda_masks.h"

#include <algorithm>
#include <vector>

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/device/cuda/mask_launch.h"
#include "engine/device/cuda/mask_rectangles.h"
#include "engine/nn/dropout_mask.h"

namespace trainyard {

namespace {

/// launch(batch) with as many of the elements at once as go into a launch.
template <typename Batch, typename Element, typename Launch>
void inBatches(const std::vector<Element>& elements, Element (Batch::*array)[Batch::kCapacity],
               const Launch& launch)
{
    for (std::size_t begin = 0; begin < elements.size(); begin += Batch::kCapacity) {
        const std::size_t count = std::min<std::size_t>(Batch::kCapacity, elements.size() - begin);
        Batch batch;
        std::copy_n(elements.begin() + static_cast<std::ptrdiff_t>(begin), count, batch.*array);
        batch.count = static_cast<int>(count);
        launch(batch);
    }
}

class CudaMasks final : public DropoutMasks {
public:
    void fill(std::uint8_t* mask, std::span<const DropoutPart> parts, std::uint32_t dropBelow,
              const DropoutStream& site) const override
    {
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        const std::vector<MaskRectangle> rectangles = rectanglesOf(mask, parts);
        if (rectangles.size() < parts.size()) {
            inBatches<RectangleBatch>(
                rectangles, &RectangleBatch::rectangles, [&](const RectangleBatch& batch) {
                    C10_CUDA_CHECK(launchFillRectangles(batch, dropBelow, site, stream));
                });
            return;
        }
        std::vector<MaskTarget> targets;
        for (const DropoutPart& part : parts) {
            targets.push_back({mask, part.firstElement, part.count, part.sample});
            mask += part.count;
        }
        inBatches<MaskBatch>(targets, &MaskBatch::targets, [&](const MaskBatch& batch) {
            C10_CUDA_CHECK(launchFillMasks(batch, dropBelow, site, stream));
        });
    }
};

} // namespace

const DropoutMasks* cudaMasks()
{
    static const CudaMasks masks;
    return &masks;
}

} // namespace trainyard
