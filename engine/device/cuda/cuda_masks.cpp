#include "engine/device/cuda/cuda_masks.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include "engine/device/cuda/mask_launch.h"
#include "engine/nn/dropout_mask.h"

namespace trainyard {

namespace {

class CudaMasks final : public DropoutMasks {
public:
    void fill(std::uint8_t* mask, std::span<const DropoutPart> parts, std::uint32_t dropBelow,
              const DropoutStream& site) const override
    {
        const cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
        MaskBatch batch;
        for (const DropoutPart& part : parts) {
            batch.targets[batch.count++] = {mask, part.firstElement, part.count, part.sample};
            mask += part.count;
            if (batch.count < MaskBatch::kCapacity)
                continue;
            C10_CUDA_CHECK(launchFillMasks(batch, dropBelow, site, stream));
            batch.count = 0;
        }
        C10_CUDA_CHECK(launchFillMasks(batch, dropBelow, site, stream));
    }
};

} // namespace

const DropoutMasks* cudaMasks()
{
    static const CudaMasks masks;
    return &masks;
}

} // namespace trainyard
