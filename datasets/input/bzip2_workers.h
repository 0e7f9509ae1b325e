#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "datasets/input/bzip2_block.h"
#include "datasets/input/thread_budget.h"

namespace trainyard {

/// A segment and, if it starts like a block, its decompressed content.
struct Bzip2Job {
    Bzip2Segment segment;
    Bzip2Block block;
    bool done = false;
};

/// Threads that decompress blocks in the order of start().
class Bzip2Workers {
public:
    explicit Bzip2Workers(std::shared_ptr<ThreadBudget> budget);
    /// Drops jobs that have not started.
    ~Bzip2Workers();

    void start(std::shared_ptr<Bzip2Job> job);
    void waitFor(const Bzip2Job& job);
    std::size_t size() const { return m_threads.size(); }

private:
    void work();

    std::shared_ptr<ThreadBudget> m_budget;
    std::mutex m_mutex; ///< guards the members below and the jobs' `done`
    std::condition_variable m_changed;
    std::deque<std::shared_ptr<Bzip2Job>> m_waiting;
    bool m_stopped = false;
    std::vector<std::thread> m_threads;
};

} // namespace trainyard
