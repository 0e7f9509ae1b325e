#pragma once

#include <condition_variable>
#include <mutex>

namespace trainyard {

/// Limits the number of threads that work at the same time among the many that wait. Any thread.
class ThreadBudget {
public:
    explicit ThreadBudget(int threads) : m_threads(threads), m_free(threads) {}

    int threads() const { return m_threads; }

    /// The share of one thread, held for the lifetime of this object.
    class Share {
    public:
        explicit Share(ThreadBudget& budget) : m_budget(budget) { budget.take(); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;
        ~Share() { m_budget.giveBack(); }

    private:
        ThreadBudget& m_budget;
    };

private:
    void take()
    {
        std::unique_lock lock(m_mutex);
        m_freed.wait(lock, [&] { return m_free > 0; });
        --m_free;
    }
    void giveBack()
    {
        {
            const std::lock_guard lock(m_mutex);
            ++m_free;
        }
        m_freed.notify_one();
    }

    std::mutex m_mutex;
    std::condition_variable m_freed;
    const int m_threads;
    int m_free;
};

} // namespace trainyard
