#include <span>

#include "engine/device/cuda/mask_launch.h"
#include "engine/device/cuda/update_launch.h"
#include "engine/optim/update_elements.h"
#include "tests/device/simulated/simulated_device.h"

// The kernels of engine/device/cuda/*.cu, one thread after the other, from the headers that those use.
// tests/device/kernels tries the .cu files themselves.

namespace trainyard {

namespace {

void storeCopy(std::uint16_t* working, std::int64_t i, float weight)
{
    if (working)
        working[i] = bfloat16Bits(weight);
}
void storeCopy(std::uint16_t*, std::int64_t, double) {}

template <typename T>
MomentStreams<T> momentsOf(SimulatedWork& work, const MomentStreams<T>& s, std::int64_t count,
                           bool changesMoments, bool changesWeight)
{
    const auto elements = static_cast<std::size_t>(count);
    const auto moment = [&](T* at) {
        return changesMoments ? work.writes(at, elements) : const_cast<T*>(work.reads(at, elements));
    };
    return {changesWeight ? work.writes(s.weight, elements) : const_cast<T*>(work.reads(s.weight, elements)),
            moment(s.average), moment(s.squareAverage), work.reads(s.gradient, elements)};
}

template <LambDirections directions, typename T>
void advance(const MomentStreams<T>& s, std::int64_t count, const LambCoefficients<T>& c, double* sums)
{
    constexpr std::size_t kColumns = lambColumns(directions);
    for (std::int64_t i = 0; i < count; ++i) {
        advanceMoments(s.average[i], s.squareAverage[i], s.gradient[i] * c.gradientScale, c);
        const LambDirection<T> d =
            lambDirection<directions>(s.average[i], s.squareAverage[i], s.gradient[i], s.weight[i], c);
        sums[0] += squareOf(s.weight[i]);
        sums[1] += squareOf(d.first);
        if constexpr (kColumns > 2)
            sums[2] += squareOf(d.second);
    }
}

template <LambDirections directions, typename T>
void apply(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
           const LambCoefficients<T>& c, const LambRates<T>& rates)
{
    for (std::int64_t i = 0; i < count; ++i) {
        s.weight[i] =
            lambElement<directions>(s.average[i], s.squareAverage[i], s.gradient[i], s.weight[i], c, rates);
        storeCopy(working, i, s.weight[i]);
    }
}

void fillTarget(SimulatedWork& work, MaskTarget target, std::uint32_t dropBelow, const DropoutStream& site)
{
    target.mask = work.writes(target.mask, static_cast<std::size_t>(target.count));
    for (std::int64_t lane = 0; lane < dropoutGroups(target) * kDropoutLanes; ++lane)
        fillDropoutLane(target, lane / kDropoutLanes, lane % kDropoutLanes, dropBelow, site);
}

} // namespace

cudaError_t launchFillMasks(const MaskBatch& batch, std::uint32_t dropBelow, const DropoutStream& site,
                            cudaStream_t stream)
{
    SimulatedWork work("fillMasks", stream.number);
    for (int i = 0; i < batch.count; ++i)
        fillTarget(work, batch.targets[i], dropBelow, site);
    return cudaSuccess;
}

cudaError_t launchFillRectangles(const RectangleBatch& batch, std::uint32_t dropBelow,
                                 const DropoutStream& site, cudaStream_t stream)
{
    SimulatedWork work("fillRectangles", stream.number);
    for (const MaskRectangle& r : std::span(batch.rectangles, static_cast<std::size_t>(batch.count))) {
        for (std::int64_t i = 0; i < r.heads * r.rows; ++i) {
            const std::int64_t first = r.firstElement + i / r.rows * r.headStride + i % r.rows * r.rowStride;
            fillTarget(work, {r.mask + i * r.columns, first, r.columns, r.sample}, dropBelow, site);
        }
    }
    return cudaSuccess;
}

template <typename T>
cudaError_t launchAdamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
                        const AdamWCoefficients<T>& c, cudaStream_t stream)
{
    SimulatedWork work("adamW", stream.number);
    const MomentStreams<T> here = momentsOf(work, s, count, true, true);
    std::uint16_t* const copy = work.writes(working, static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        here.weight[i] =
            adamWElement(here.weight[i], here.average[i], here.squareAverage[i], here.gradient[i], c);
        storeCopy(copy, i, here.weight[i]);
    }
    return cudaSuccess;
}

template <typename T>
cudaError_t launchAdvanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                              const LambCoefficients<T>& c, double* scratch, double* sums,
                              cudaStream_t stream)
{
    SimulatedWork work("advanceLamb", stream.number);
    const MomentStreams<T> here = momentsOf(work, s, count, true, false);
    work.writes(scratch, kSumScratch);
    double* const all = work.writes(sums, lambColumns(directions));
    if (directions == LambDirections::Update)
        advance<LambDirections::Update>(here, count, c, all);
    else
        advance<LambDirections::MomentumAndGradient>(here, count, c, all);
    return cudaSuccess;
}

template <typename T>
cudaError_t launchApplyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                            std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates,
                            cudaStream_t stream)
{
    SimulatedWork work("applyLamb", stream.number);
    const MomentStreams<T> here = momentsOf(work, s, count, false, true);
    std::uint16_t* const copy = work.writes(working, static_cast<std::size_t>(count));
    if (directions == LambDirections::Update)
        apply<LambDirections::Update>(here, copy, count, c, rates);
    else
        apply<LambDirections::MomentumAndGradient>(here, copy, count, c, rates);
    return cudaSuccess;
}

template <typename T>
cudaError_t launchSgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
                      const SgdCoefficients<T>& c, cudaStream_t stream)
{
    SimulatedWork work("sgd", stream.number);
    const auto elements = static_cast<std::size_t>(count);
    T* const weights = work.writes(weight, elements);
    T* const momenta = work.writes(momentum, elements);
    const T* const gradients = work.reads(gradient, elements);
    for (std::int64_t i = 0; i < count; ++i) {
        T direction = sgdDirection(gradients[i], weights[i], c);
        if (momenta)
            direction = momenta[i] = c.momentum * momenta[i] + direction;
        weights[i] -= c.rate * direction;
    }
    return cudaSuccess;
}

template <typename T>
cudaError_t launchSquares(const T* values, std::int64_t count, double* scratch, double* sums,
                          cudaStream_t stream)
{
    SimulatedWork work("squares", stream.number);
    const T* const here = work.reads(values, static_cast<std::size_t>(count));
    work.writes(scratch, kSumScratch);
    double* const all = work.writes(sums, 1);
    for (std::int64_t i = 0; i < count; ++i)
        *all += squareOf(here[i]);
    return cudaSuccess;
}

template <typename T>
cudaError_t launchAdamW(const RangeTable<AdamWRange<T>>& table, cudaStream_t stream)
{
    for (const AdamWRange<T>& r : std::span(table.ranges, static_cast<std::size_t>(table.count)))
        launchAdamW(r.streams, r.working, r.count, r.coefficients, stream);
    return cudaSuccess;
}

template <typename T>
cudaError_t launchSquares(const RangeTable<SquaresRange<T>>& table, double* scratch, cudaStream_t stream)
{
    SimulatedWork work("squaresOfRanges", stream.number);
    work.writes(scratch, table.blocks());
    for (const SquaresRange<T>& r : std::span(table.ranges, static_cast<std::size_t>(table.count))) {
        const T* const here = work.reads(r.values, static_cast<std::size_t>(r.count));
        double* const sum = work.writes(r.sums, 1);
        *sum = 0;
        for (std::int64_t i = 0; i < r.count; ++i)
            *sum += squareOf(here[i]);
    }
    return cudaSuccess;
}

#define TRAINYARD_INSTANTIATE(T)                                                                             \
    template cudaError_t launchAdamW<T>(const MomentStreams<T>&, std::uint16_t*, std::int64_t,               \
                                        const AdamWCoefficients<T>&, cudaStream_t);                          \
    template cudaError_t launchAdvanceLamb<T>(LambDirections, const MomentStreams<T>&, std::int64_t,         \
                                              const LambCoefficients<T>&, double*, double*, cudaStream_t);   \
    template cudaError_t launchApplyLamb<T>(LambDirections, const MomentStreams<T>&, std::uint16_t*,         \
                                            std::int64_t, const LambCoefficients<T>&, const LambRates<T>&,   \
                                            cudaStream_t);                                                   \
    template cudaError_t launchSgd<T>(T*, T*, const T*, std::int64_t, const SgdCoefficients<T>&,             \
                                      cudaStream_t);                                                         \
    template cudaError_t launchSquares<T>(const T*, std::int64_t, double*, double*, cudaStream_t);           \
    template cudaError_t launchAdamW<T>(const RangeTable<AdamWRange<T>>&, cudaStream_t);                     \
    template cudaError_t launchSquares<T>(const RangeTable<SquaresRange<T>>&, double*, cudaStream_t);
TRAINYARD_INSTANTIATE(float)
TRAINYARD_INSTANTIATE(double)
#undef TRAINYARD_INSTANTIATE

} // namespace trainyard
