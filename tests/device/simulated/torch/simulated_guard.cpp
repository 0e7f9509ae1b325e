#include <memory>

#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "tests/device/simulated/simulated_device.h"
#include "tests/device/simulated/torch/simulated_allocators.h"

namespace trainyard {

namespace {

/// Streams and events of the calling thread's device, the only one that it sees.
class SimulatedGuard final : public c10::impl::DeviceGuardImplInterface {
public:
    c10::DeviceType type() const override { return kSimulatedType; }
    c10::Device exchangeDevice(c10::Device) const override { return only(); }
    c10::Device getDevice() const override { return only(); }
    void setDevice(c10::Device device) const override
    {
        TORCH_CHECK(device.index() <= 0, "there is no simulated device ", device);
    }
    void uncheckedSetDevice(c10::Device) const noexcept override {}
    c10::DeviceIndex deviceCount() const noexcept override { return 1; }

    c10::Stream getStream(c10::Device) const override { return streamOf(device().currentStream()); }
    c10::Stream getDefaultStream(c10::Device) const override
    {
        return streamOf(SimulatedDevice::kDefaultStream);
    }
    c10::Stream getStreamFromGlobalPool(c10::Device, bool) const override
    {
        return streamOf(device().streamFromPool());
    }
    c10::Stream getNewStream(c10::Device, int) const override { return streamOf(device().streamFromPool()); }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return streamOf(device().exchangeCurrentStream(numberOf(stream)));
    }
    bool queryStream(const c10::Stream& stream) const override
    {
        return SimulatedDevice::query(device().record(numberOf(stream)));
    }
    void synchronizeStream(const c10::Stream& stream) const override
    {
        device().synchronizeStream(numberOf(stream));
    }
    void synchronizeDevice(const c10::DeviceIndex) const override { device().synchronizeAll(); }

    void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
                const c10::EventFlag) const override
    {
        if (!*event)
            *event = new SimulatedEvent;
        eventOf(*event) = device().record(numberOf(stream));
    }
    void block(void* event, const c10::Stream& stream) const override
    {
        if (event)
            device().wait(numberOf(stream), eventOf(event));
    }
    bool queryEvent(void* event) const override { return !event || SimulatedDevice::query(eventOf(event)); }
    void synchronizeEvent(void* event) const override
    {
        if (event)
            device().synchronize(eventOf(event));
    }
    double elapsedTime(void* from, void* to, const c10::DeviceIndex) const override
    {
        return std::chrono::duration<double, std::milli>(eventOf(to).time - eventOf(from).time).count();
    }
    void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override
    {
        delete static_cast<SimulatedEvent*>(event);
    }

private:
    static c10::Device only() { return {kSimulatedType, 0}; }
    static SimulatedDevice& device() { return SimulatedDevice::current(); }
    static SimulatedEvent& eventOf(void* event) { return *static_cast<SimulatedEvent*>(event); }
    static c10::Stream streamOf(std::size_t number)
    {
        return c10::Stream(c10::Stream::UNSAFE, only(), static_cast<c10::StreamId>(number));
    }
    static std::size_t numberOf(const c10::Stream& stream) { return static_cast<std::size_t>(stream.id()); }
};

[[maybe_unused]] const c10::impl::DeviceGuardImplRegistrar guardRegistered(kSimulatedType,
                                                                           new SimulatedGuard);

} // namespace

} // namespace trainyard
