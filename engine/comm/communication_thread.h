#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

namespace trainyard {

/// Runs tasks one after another, in order of arrival, on a dedicated thread. MPI is only ever called from
/// there, so collectives overlap with computing and no two MPI calls meet. The destructor finishes pending
/// tasks.
class CommunicationThread {
public:
    /// `goOn` advances work that tasks left pending, on the thread and while no task waits. As long as it
    /// returns true (more to do) it is called again, several times per millisecond.
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
