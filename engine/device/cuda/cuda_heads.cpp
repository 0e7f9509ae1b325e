#include <ATen/ops/empty.h>

#include "engine/device/cuda/cuda_compute.h"
#include "engine/device/cuda/head_launch.h"
#include "engine/device/cuda/tensor_launch.h"

namespace trainyard {

namespace {

HeadExtents extentsOf(const HeadShape& shape, int parts)
{
    return {shape.sequences, shape.heads, shape.length, shape.width, parts};
}

/// Kernels read and write through the same views.
template <typename T>
HeadViews<T> viewsOf(std::span<const at::Tensor> heads)
{
    HeadViews<T> views;
    for (std::size_t i = 0; i < heads.size(); ++i)
        views[i] = {const_cast<T*>(readFrom<T>(heads[i])), heads[i].stride(0), heads[i].stride(1),
                    heads[i].stride(2)};
    return views;
}

/// calls launch(T(), views, stream); false where there is no kernel for such tensors.
template <typename Launch>
bool launchHeads(const at::Tensor& tokens, std::span<const at::Tensor> heads, const HeadExtents& extents,
                 const Launch& launch)
{
    for (const at::Tensor& head : heads) {
        if (!haveKernelType({tokens, head}) || head.stride(3) != 1)
            return false;
    }
    bool isLaunched = false;
    launchFor(tokens, [&]<typename T>(T, cudaStream_t stream) {
        const HeadViews<T> views = viewsOf<T>(heads);
        isLaunched = hasHeadKernel<T>(extents, readFrom<T>(tokens), views);
        return isLaunched ? launch(T(), views, stream) : cudaSuccess;
    });
    return isLaunched;
}

bool split(const at::Tensor& tokens, std::span<const at::Tensor> heads, const HeadExtents& extents,
           double scale)
{
    return launchHeads(tokens, heads, extents, [&]<typename T>(T, const HeadViews<T>& views, auto stream) {
        return launchSplitHeads<T>(readFrom<T>(tokens), extents, scale, views, stream);
    });
}

bool join(std::span<const at::Tensor> heads, const at::Tensor& tokens, const HeadExtents& extents,
          double scale)
{
    return launchHeads(tokens, heads, extents, [&]<typename T>(T, const HeadViews<T>& views, auto stream) {
        return launchJoinHeads<T>(views, extents, scale, writeTo<T>(tokens), stream);
    });
}

} // namespace

HeadTensors CudaCompute::splitHeads(const at::Tensor& queryKeyValue, const HeadShape& shape,
                                    double scale) const
{
    if (scale == 1.0) // for a kernel that reads views
        return DeviceCompute::splitHeads(queryKeyValue, shape, scale);
    const at::Tensor all =
        at::empty({3, shape.sequences, shape.heads, shape.length, shape.width}, queryKeyValue.options());
    const HeadTensors heads{all[0], all[1], all[2]};
    return split(queryKeyValue, heads, extentsOf(shape, 3), scale)
               ? heads
               : DeviceCompute::splitHeads(queryKeyValue, shape, scale);
}

at::Tensor CudaCompute::joinHeads(const HeadTensors& gradients, double scale) const
{
    const HeadShape shape = HeadShape::of(gradients[0]);
    const at::Tensor tokens =
        at::empty({shape.tokens(), 3 * shape.heads * shape.width}, gradients[0].options());
    return join(gradients, tokens, extentsOf(shape, 3), scale) ? tokens
                                                               : DeviceCompute::joinHeads(gradients, scale);
}

at::Tensor CudaCompute::mergeHeads(const at::Tensor& context_BASD) const
{
    const HeadShape shape = HeadShape::of(context_BASD);
    const at::Tensor tokens = at::empty({shape.tokens(), shape.heads * shape.width}, context_BASD.options());
    return join({&context_BASD, 1}, tokens, extentsOf(shape, 1), 1.0)
               ? tokens
               : DeviceCompute::mergeHeads(context_BASD);
}

at::Tensor CudaCompute::unmergeHeads(const at::Tensor& context_TH, const HeadShape& shape) const
{
    const at::Tensor heads =
        at::empty({shape.sequences, shape.heads, shape.length, shape.width}, context_TH.options());
    return split(context_TH, {&heads, 1}, extentsOf(shape, 1), 1.0)
               ? heads
               : DeviceCompute::unmergeHeads(context_TH, shape);
}

} // namespace trainyard
