#pragma once

#include <future>
#include <memory>
#include <stdexcept>
#include <utility>

#include "engine/comm/device_transport.h"

namespace trainyard {

/// The group is broken: a peer is gone or gave up.
struct CommunicationError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A collective under way. Its buffer must not be touched before wait() has returned: on a device by what it
/// is given before.
class Work {
public:
    Work() = default; ///< nothing to wait for
    explicit Work(std::future<void> done) : m_done(std::move(done)) {}
    explicit Work(std::shared_ptr<DeviceWork> onDevice) : m_onDevice(std::move(onDevice)) {}

    /// Returns when this rank's part is done, or on a device when what it is given from now on comes after
    /// it; the second call returns at once. Throws CommunicationError.
    void wait()
    {
        if (m_done.valid())
            m_done.get();
        if (const auto onDevice = std::exchange(m_onDevice, nullptr))
            onDevice->wait();
    }

private:
    std::future<void> m_done;
    std::shared_ptr<DeviceWork> m_onDevice;
};

} // namespace trainyard
