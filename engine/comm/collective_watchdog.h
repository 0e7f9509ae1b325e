#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/comm/device_transport.h"

namespace trainyard {

/// Watches the collectives on a rank's device: a device that waits for a missing rank reports nothing. Runs
/// one thread for all groups of the rank.
class CollectiveWatchdog {
public:
    /// Callbacks on the watchdog's thread for a collective that fails or does not end.
    struct Verdict {
        std::function<void(const std::string& what)> say; ///< before the device is freed
        std::function<void()> end; ///< after it: results are invalid from now on, so the process must end
    };

    CollectiveWatchdog(std::chrono::milliseconds limit, Verdict verdict);
    /// Does not wait for collectives.
    ~CollectiveWatchdog();
    CollectiveWatchdog(const CollectiveWatchdog&) = delete;
    CollectiveWatchdog& operator=(const CollectiveWatchdog&) = delete;

    /// `name`: for the verdict, e.g. "all-reduce 17 of group 3". `onDone` is called once the device has
    /// finished it. Any thread.
    void watch(std::shared_ptr<DeviceWork> work, std::string name, std::function<void()> onDone);

private:
    using Clock = std::chrono::steady_clock;

    struct Watched {
        std::shared_ptr<DeviceWork> work;
        std::string name;
        std::function<void()> onDone;
        Clock::time_point deadline;
    };

    void loop();
    /// False once a verdict was given.
    bool lookAtAll(std::list<Watched>& underWay);
    void fail(DeviceWork& work, const std::string& what);

    const std::chrono::milliseconds m_limit;
    const Verdict m_verdict;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::list<Watched> m_new;
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace trainyard
