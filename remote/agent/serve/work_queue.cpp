#include "remote/agent/serve/work_queue.h"

#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace trainyard::agent {

WorkQueue::WorkQueue(int threads) : m_wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK))
{
    try {
        for (int i = 0; i < threads; ++i)
            m_threads.emplace_back([this] { serve(); });
    } catch (const std::system_error&) {
        if (m_threads.empty()) // with fewer than wanted it only takes longer
            throw;
    }
}

WorkQueue::~WorkQueue()
{
    {
        const std::lock_guard lock(m_mutex);
        m_closing = true;
    }
    m_available.notify_all();
    for (std::thread& thread : m_threads)
        thread.join();
    for (const auto& apart : m_apart)
        apart->join();
}

void WorkQueue::run(std::function<void()> work, std::function<void()> then)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back({std::move(work), std::move(then)});
    }
    m_available.notify_one();
}

bool WorkQueue::runApart(std::function<void()> work, std::function<void()> then)
{
    auto apart = std::make_shared<std::thread>();
    const auto done = [this, apart, then = std::move(then)] {
        join(apart);
        then();
    };
    try {
        *apart = std::thread([this, work = std::move(work), done] {
            work();
            addDone(done);
        });
    } catch (const std::system_error&) {
        return false;
    }
    m_apart.push_back(apart);
    return true;
}

/// It has ended, or is about to.
void WorkQueue::join(const std::shared_ptr<std::thread>& apart)
{
    apart->join();
    std::erase(m_apart, apart);
}

void WorkQueue::addDone(std::function<void()> then)
{
    const std::lock_guard lock(m_mutex);
    m_done.push_back(std::move(then));
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t put = ::write(m_wake.get(), &one, sizeof one);
}

void WorkQueue::finish()
{
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(m_wake.get(), &count, sizeof count);
    std::vector<std::function<void()>> done;
    {
        const std::lock_guard lock(m_mutex);
        done.swap(m_done);
    }
    for (const auto& then : done)
        then();
}

void WorkQueue::serve()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        m_available.wait(lock, [this] { return m_closing || !m_jobs.empty(); });
        if (m_jobs.empty())
            return;
        Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        lock.unlock();
        job.work();
        addDone(std::move(job.then));
        lock.lock();
    }
}

} // namespace trainyard::agent
