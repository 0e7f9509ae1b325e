#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace trainyard::stand_in {

/// A queue of the stand-in device, worked off in order by a thread of its own, beside all others. With
/// TRAINYARD_STAND_IN_DELAYS=SEED it pauses up to two milliseconds before each task. Any thread.
class Stream {
public:
    explicit Stream(std::size_t number) : m_number(number) {}
    /// Finishes first.
    ~Stream();
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    std::size_t number() const { return m_number; }
    void add(std::function<void()> task);
    bool isIdle();
    void finish();

private:
    void work();

    const std::size_t m_number;
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<std::function<void()>> m_tasks; // the first is under way
    bool m_ending = false;
    std::thread m_thread; // from the first task on
};

/// What an event stands for since it was last recorded.
class Moment {
public:
    void come();
    bool hasCome() const { return m_come; }
    void await();
    /// Both have come.
    float millisecondsSince(const Moment& earlier) const;

private:
    std::chrono::steady_clock::time_point m_time;
    std::atomic<bool> m_come{false};
};

} // namespace trainyard::stand_in
