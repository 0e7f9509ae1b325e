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

/// Watches the collectives on a rank's device, as neither the device that waits for a missing rank reports
/// anything nor the host that waits for it inside a call. Runs one thread for all groups of the rank.
///
/// Nothing is aborted before the process ends: an abort may hang as the collective does, and what it lets
/// through, results that never arrived, must not get into a journal or a checkpoint. The end of the process
/// frees the device.
class CollectiveWatchdog {
public:
    /// Callbacks on the watchdog's thread for a collective that fails or does not end. Nothing is watched
    /// after that. What a device throws (DeviceWork::isDone) other than CommunicationError is not caught: it
    /// is no failure of a collective.
    struct Verdict {
        std::function<void(const std::string& what)> say;
        std::function<void()> end; ///< after it: the process must end
    };

    CollectiveWatchdog(std::chrono::milliseconds limit, Verdict verdict);
    /// Does not wait for collectives.
    ~CollectiveWatchdog();
    CollectiveWatchdog(const CollectiveWatchdog&) = delete;
    CollectiveWatchdog& operator=(const CollectiveWatchdog&) = delete;

private:
    using Clock = std::chrono::steady_clock;

    struct Entry {
        std::string name;
        Clock::time_point deadline;
        std::shared_ptr<DeviceWork> work = nullptr; ///< null: the call has not returned yet
        std::function<void()> onDone = {};
    };
    using Entries = std::list<Entry>;

public:
    /// A call that may wait on the host for other ranks, watched for as long as this object lives. Any
    /// thread; the watchdog outlives it.
    class Call {
    public:
        /// `name`: for the verdict, e.g. "all-reduce 17 of group 3".
        Call(CollectiveWatchdog& watchdog, std::string name);
        ~Call();
        Call(const Call&) = delete;
        Call& operator=(const Call&) = delete;

        /// The call returned and the device has got `work`, which is watched from now on, with a time limit
        /// of its own. `onDone` is called once the device has finished it. At most once.
        void handedOver(std::shared_ptr<DeviceWork> work, std::function<void()> onDone);

    private:
        CollectiveWatchdog& m_watchdog;
        Entries::iterator m_place; // among the calls
        bool m_isOver = false;
    };

private:
    void loop();
    /// The name of a call that should have returned, else empty. Under the lock.
    std::string overdueCall() const;
    /// False once a verdict was given.
    bool lookAtAll(Entries& underWay);
    void give(const std::string& verdict);
    std::string overdueText(const std::string& name) const;

    const std::chrono::milliseconds m_limit;
    const Verdict m_verdict;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    Entries m_calls;
    Entries m_new; ///< works that the thread has not taken over yet
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace trainyard
