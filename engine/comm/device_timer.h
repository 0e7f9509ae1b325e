#pragma once

#include <memory>

namespace trainyard {

/// A place in the work that a thread gave its device. Used by that thread alone.
class DeviceMark {
public:
    virtual ~DeviceMark() = default;

    /// Whether the device has come so far. Returns at once.
    virtual bool isReached() const = 0;
    /// Waits for it; for nothing that the device was given later or by others.
    virtual void wait() const = 0;
    /// How long the device took from the earlier mark to this one; both are reached.
    virtual double secondsSince(const DeviceMark& earlier) const = 0;
};

/// Says when a device does what it is given, which the host's clock does not know: the host is ahead of it.
class DeviceTimer {
public:
    virtual ~DeviceTimer() = default;

    /// Behind all that the calling thread has given the device to compute. Does not wait.
    virtual std::unique_ptr<DeviceMark> mark() = 0;
};

} // namespace trainyard
