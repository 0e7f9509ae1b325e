#pragma once

#include <c10/core/Device.h>

#include "engine/comm/device_timer.h"

namespace trainyard {

/// Marks are events of the device in the calling thread's current stream.
class EventTimer final : public DeviceTimer {
public:
    explicit EventTimer(c10::Device device) : m_device(device) {}

    std::unique_ptr<DeviceMark> mark() override;

private:
    const c10::Device m_device;
};

} // namespace trainyard
