#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/file.h"

namespace trainyard::agent {

/// Threads for long work (hashing, syncing, running programs, waiting for a run to end), so that the event
/// loop never blocks. Results return to the loop: completionFd() becomes readable, and finish() runs them
/// there.
class WorkQueue {
public:
    /// Uses fewer threads where the user's limit allows no more; throws std::system_error when it allows
    /// none.
    explicit WorkQueue(int threads);
    /// Finishes all submitted work, then joins.
    ~WorkQueue();

    /// Runs `work` on a thread, then `then` on the thread that calls finish().
    void run(std::function<void()> work, std::function<void()> then);
    /// As run(), on a thread of its own: for work that waits long, so that it holds up no other. Returns
    /// false, and runs nothing, where the user's limit allows no more threads. On the thread that calls
    /// finish().
    bool runApart(std::function<void()> work, std::function<void()> then);

    int completionFd() const { return m_wake.get(); }
    void finish();

private:
    struct Job {
        std::function<void()> work;
        std::function<void()> then;
    };
    void serve();
    void addDone(std::function<void()> then);
    void join(const std::shared_ptr<std::thread>& apart);

    FileDescriptor m_wake;
    std::mutex m_mutex;
    std::condition_variable m_available;
    std::deque<Job> m_jobs;
    std::vector<std::function<void()>> m_done;
    bool m_closing = false;
    std::vector<std::thread> m_threads;
    std::vector<std::shared_ptr<std::thread>> m_apart; ///< of runApart(), not joined yet
};

} // namespace trainyard::agent
