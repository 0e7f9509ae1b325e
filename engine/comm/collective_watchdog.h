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

/// Looks after the collectives that a rank's device was given: a device that waits for a rank that never
/// comes says nothing. One thread of its own, for all groups of the rank.
class CollectiveWatchdog {
public:
    /// What happens, on the watchdog's thread, when a collective fails or does not end.
    struct Verdict {
        std::function<void(const std::string& what)> say; ///< before the device is freed
        std::function<void()> end; ///< after it: results are worthless from now on, so nobody may go on
    };

    CollectiveWatchdog(std::chrono::milliseconds limit, Verdict verdict);
    /// Waits for no collective.
    ~CollectiveWatchdog();
    CollectiveWatchdog(const CollectiveWatchdog&) = delete;
    CollectiveWatchdog& operator=(const CollectiveWatchdog&) = delete;

    /// `name`: for the verdict, e.g. "all-reduce 17 of group 3". `onDone` is called once the device is
    /// through with it. Any thread.
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
    /// False when the verdict was spoken.
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
