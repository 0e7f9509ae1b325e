#include "tests/support/device/emulated_device.h"

#include <algorithm>

#include "engine/nn/compute/device_compute.h"
#include "engine/optim/update_kernels.h"

namespace trainyard {

namespace {

class EmulatedMasks final : public DropoutMasks {
public:
    void fill(std::uint8_t* mask, std::span<const DropoutPart> parts, std::uint32_t dropBelow,
              const DropoutStream& site) const override
    {
        for (const DropoutPart& part : parts) {
            const MaskTarget target{mask, part.firstElement, part.count, part.sample};
            for (std::int64_t group = 0; group < dropoutGroups(target); ++group) {
                for (std::int64_t lane = 0; lane < kDropoutLanes; ++lane)
                    fillDropoutLane(target, group, lane, dropBelow, site);
            }
            mask += part.count;
        }
    }
};

constexpr std::int64_t kSlots = 3;

/// Streams of `count` elements cut into as many runs as there are slots.
template <typename Pass>
void forEachSlot(std::int64_t count, Pass pass)
{
    const std::int64_t perSlot = (count + kSlots - 1) / kSlots;
    for (std::int64_t slot = 0; slot < kSlots; ++slot) {
        const std::int64_t first = std::min(slot * perSlot, count);
        pass(slot, first, std::min(perSlot, count - first));
    }
}

template <typename T>
MomentStreams<T> from(const MomentStreams<T>& s, std::int64_t first)
{
    return {s.weight + first, s.average + first, s.squareAverage + first, s.gradient + first};
}

template <typename T>
class EmulatedPasses final : public UpdatePasses<T> {
public:
    void adamW(const MomentStreams<T>& s, std::uint16_t* working, std::int64_t count,
               const AdamWCoefficients<T>& c) const override
    {
        m_inner.adamW(s, working, count, c);
    }
    void advanceLamb(LambDirections directions, const MomentStreams<T>& s, std::int64_t count,
                     const LambCoefficients<T>& c, double* sums) const override
    {
        const std::size_t columns = lambColumns(directions);
        forEachSlot(count, [&](std::int64_t slot, std::int64_t first, std::int64_t elements) {
            m_inner.advanceLamb(directions, from(s, first), elements, c, sums + columns * slot);
        });
    }
    void applyLamb(LambDirections directions, const MomentStreams<T>& s, std::uint16_t* working,
                   std::int64_t count, const LambCoefficients<T>& c, const LambRates<T>& rates) const override
    {
        m_inner.applyLamb(directions, s, working, count, c, rates);
    }
    void sgd(T* weight, T* momentum, const T* gradient, std::int64_t count,
             const SgdCoefficients<T>& c) const override
    {
        m_inner.sgd(weight, momentum, gradient, count, c);
    }
    void squares(const T* values, std::int64_t count, double* sums) const override
    {
        forEachSlot(count, [&](std::int64_t slot, std::int64_t first, std::int64_t elements) {
            m_inner.squares(values + first, elements, sums + slot);
        });
    }

private:
    const UpdatePasses<T>& m_inner = processorUpdates().of<T>();
};

class EmulatedUpdates final : public UpdateKernels {
public:
    const UpdatePasses<float>& floats() const override { return m_floats; }
    const UpdatePasses<double>& doubles() const override { return m_doubles; }
    std::int64_t rangeElements() const override { return 1000; }
    std::size_t sumSlots() const override { return kSlots; }
    void forEach(std::size_t count, const std::function<void(std::size_t)>& pass,
                 const std::function<void(std::size_t)>& after) const override
    {
        for (std::size_t index = 0; index < count; ++index)
            pass(index);
        for (std::size_t index = 0; index < count; ++index)
            after(index);
    }

private:
    EmulatedPasses<float> m_floats;
    EmulatedPasses<double> m_doubles;
};

} // namespace

Device emulatedDevice()
{
    static const EmulatedUpdates updates;
    static const DeviceCompute compute({emulatedMasks()});
    return {at::kCPU, &compute, &updates};
}

const DropoutMasks& emulatedMasks()
{
    static const EmulatedMasks masks;
    return masks;
}

} // namespace trainyard
