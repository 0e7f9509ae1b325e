#include "engine/device/cuda/head_launch.h"

#include "engine/device/cuda/launch.h"

namespace trainyard {

namespace {

constexpr std::int64_t kMaxGridRows = 65535; // of gridDim.y and gridDim.z

/// Where a thread's pack lies in the tokens, and in which heads: a block has packs of one head of one
/// sequence.
template <typename T>
struct PackPlace {
    int part;
    std::int64_t inTokens;
    std::int64_t inHeads;
    bool isInside;

    __device__ PackPlace(const HeadExtents& e, const HeadViews<T>& heads)
    {
        const auto headsOfPart = static_cast<unsigned>(e.heads);
        part = static_cast<int>(blockIdx.y / headsOfPart);
        const std::int64_t head = blockIdx.y % headsOfPart;
        const std::int64_t sequence = blockIdx.z;
        const auto packs = static_cast<unsigned>(e.width / Pack<T>::kCount);
        const unsigned i = blockIdx.x * kThreads + threadIdx.x;
        const std::int64_t token = i / packs;
        const std::int64_t first = i % packs * Pack<T>::kCount;
        isInside = token < e.length;
        const HeadView<T>& view = heads[part];
        inHeads = sequence * view.sequenceStride + head * view.headStride + token * view.tokenStride + first;
        inTokens =
            ((sequence * e.length + token) * e.parts + part) * e.heads * e.width + head * e.width + first;
    }
};

template <typename T>
__device__ Pack<T> scaled(Pack<T> pack, double scale)
{
    for (T& number : pack.at)
        number = narrow<T>(widen(number) * static_cast<Wide<T>>(scale));
    return pack;
}

template <typename T>
__global__ void splitHeads(const T* tokens, const __grid_constant__ HeadExtents extents, double scale,
                           const __grid_constant__ HeadViews<T> heads)
{
    const PackPlace<T> place(extents, heads);
    if (!place.isInside)
        return;
    Pack<T> pack = loadPack(tokens + place.inTokens, true);
    if (place.part == 0 && scale != 1.0)
        pack = scaled(pack, scale);
    storePack(heads[place.part].values + place.inHeads, pack, true);
}

template <typename T>
__global__ void joinHeads(const __grid_constant__ HeadViews<T> heads,
                          const __grid_constant__ HeadExtents extents, double scale, T* tokens)
{
    const PackPlace<T> place(extents, heads);
    if (!place.isInside)
        return;
    Pack<T> pack = loadPack(heads[place.part].values + place.inHeads, true);
    if (place.part == 0 && scale != 1.0)
        pack = scaled(pack, scale);
    storePack(tokens + place.inTokens, pack, true);
}

template <typename T>
dim3 gridOf(const HeadExtents& e)
{
    const std::int64_t packs = e.length * e.width / Pack<T>::kCount;
    return {static_cast<unsigned>((packs + kThreads - 1) / kThreads),
            static_cast<unsigned>(e.heads * e.parts), static_cast<unsigned>(e.sequences)};
}

bool isEmpty(const HeadExtents& e)
{
    return e.sequences * e.heads * e.length * e.width == 0;
}

} // namespace

template <typename T>
bool hasHeadKernel(const HeadExtents& e, const T* tokens, const HeadViews<T>& heads)
{
    const auto isWhole = [](std::int64_t elements) { return elements % Pack<T>::kCount == 0; };
    bool fits = isWhole(e.width) && isPackAligned(tokens) && e.heads * e.parts <= kMaxGridRows &&
                e.sequences <= kMaxGridRows && e.length * e.width < (std::int64_t{1} << 31);
    for (int part = 0; part < e.parts; ++part) {
        const HeadView<T>& view = heads[static_cast<std::size_t>(part)];
        fits = fits && isPackAligned(view.values) && isWhole(view.sequenceStride) &&
               isWhole(view.headStride) && isWhole(view.tokenStride);
    }
    return fits;
}

template <typename T>
cudaError_t launchSplitHeads(const T* tokens, const HeadExtents& extents, double scale,
                             const HeadViews<T>& heads, cudaStream_t stream)
{
    if (isEmpty(extents))
        return cudaSuccess;
    return TRAINYARD_LAUNCH(splitHeads<T>, gridOf<T>(extents), kThreads, stream, tokens, extents, scale,
                            heads);
}

template <typename T>
cudaError_t launchJoinHeads(const HeadViews<T>& heads, const HeadExtents& extents, double scale, T* tokens,
                            cudaStream_t stream)
{
    if (isEmpty(extents))
        return cudaSuccess;
    return TRAINYARD_LAUNCH(joinHeads<T>, gridOf<T>(extents), kThreads, stream, heads, extents, scale,
                            tokens);
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template bool hasHeadKernel<T>(const HeadExtents&, const T*, const HeadViews<T>&);                       \
    template cudaError_t launchSplitHeads<T>(const T*, const HeadExtents&, double, const HeadViews<T>&,      \
                                             cudaStream_t);                                                  \
    template cudaError_t launchJoinHeads<T>(const HeadViews<T>&, const HeadExtents&, double, T*,             \
                                            cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
TRAINYARD_INSTANTIATE(BFloat16)
TRAINYARD_INSTANTIATE(Float16)

} // namespace trainyard
