#include <ATen/detail/PrivateUse1HooksInterface.h>

#include "tests/device/simulated/simulated_memory.h"
#include "tests/device/simulated/torch/simulated_allocators.h"

namespace trainyard {

namespace {

class SimulatedHooks final : public at::PrivateUse1HooksInterface {
public:
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
    c10::DeviceIndex deviceCount() const override { return 1; }
    c10::DeviceIndex getCurrentDevice() const override { return 0; }
    void setCurrentDevice(c10::DeviceIndex) const override {}
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex) const override { return 0; }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex) const override { return 0; }

    c10::Device getDeviceFromPtr(void* memory) const override
    {
        TORCH_CHECK(SimulatedMemory::instance().isDevices(memory),
                    "no memory of the simulated device: ", memory);
        return {kSimulatedType, 0};
    }
    bool isPinnedPtr(const void* memory) const override
    {
        return SimulatedMemory::instance().isPinned(memory);
    }
    c10::Allocator* getPinnedMemoryAllocator() const override { return &simulatedPinnedAllocator(); }
};

[[maybe_unused]] const bool hooksRegistered = [] {
    c10::register_privateuse1_backend("sim");
    at::RegisterPrivateUse1HooksInterface(new SimulatedHooks);
    c10::SetAllocator(kSimulatedType, &simulatedAllocator());
    return true;
}();

} // namespace

} // namespace trainyard
