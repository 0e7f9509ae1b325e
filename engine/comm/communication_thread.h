#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace trainyard {

/// Runs tasks one after another, in the order in which they came, on one thread of its own. MPI is only ever
/// called from there, so collectives overlap with computing and no two MPI calls meet. The destructor
/// finishes what was handed over.
class CommunicationThread {
public:
    /// `goOn` does a little of what tasks have left under way, on the thread and while no task waits, and
    /// says whether there is more; then it is called again, some times in a millisecond.
    explicit CommunicationThread(std::function<bool()> goOn = {});
    ~CommunicationThread();
    CommunicationThread(const CommunicationThread&) = delete;
    CommunicationThread& operator=(const CommunicationThread&) = delete;

    /// Any thread. The future carries what the task threw.
    std::future<void> run(std::function<void()> task);

private:
    void loop();
    void waitForTask(std::unique_lock<std::mutex>& lock);
    bool hasMore(std::unique_lock<std::mutex>& lock);

    const std::function<bool()> m_goOn;
    std::mutex m_mutex;
    std::condition_variable m_wake;
    std::deque<std::packaged_task<void()>> m_tasks;
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace trainyard
