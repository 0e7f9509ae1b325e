#include "engine/comm/communication_thread.h"

#include <chrono>

namespace trainyard {

namespace {

constexpr std::chrono::microseconds kPause{50}; ///< between two goes at what is under way

} // namespace

CommunicationThread::CommunicationThread(std::function<bool()> goOn)
    : m_goOn(std::move(goOn)), m_thread([this] { loop(); })
{
}

CommunicationThread::~CommunicationThread()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_wake.notify_one();
    m_thread.join();
}

std::future<void> CommunicationThread::run(std::function<void()> task)
{
    std::packaged_task<void()> packaged(std::move(task));
    auto done = packaged.get_future();
    {
        const std::lock_guard lock(m_mutex);
        m_tasks.push_back(std::move(packaged));
    }
    m_wake.notify_one();
    return done;
}

void CommunicationThread::loop()
{
    std::unique_lock lock(m_mutex);
    for (;;) {
        waitForTask(lock);
        if (m_tasks.empty())
            return;
        auto task = std::move(m_tasks.front());
        m_tasks.pop_front();
        // One task at a time, in the order of the calls: all ranks make the same calls in the same order, so
        // the collectives of one rank meet those of the others.
        lock.unlock();
        task();
        lock.lock();
    }
}

void CommunicationThread::waitForTask(std::unique_lock<std::mutex>& lock)
{
    const auto isWanted = [this] { return m_stopping || !m_tasks.empty(); };
    while (!isWanted() && hasMore(lock))
        m_wake.wait_for(lock, kPause, isWanted);
    m_wake.wait(lock, isWanted);
}

/// After a go at it, for which the lock is let go.
bool CommunicationThread::hasMore(std::unique_lock<std::mutex>& lock)
{
    if (!m_goOn)
        return false;
    lock.unlock();
    const bool more = m_goOn();
    lock.lock();
    return more;
}

} // namespace trainyard
