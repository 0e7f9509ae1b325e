#include "engine/comm/communication_thread.h"

namespace trainyard {

CommunicationThread::CommunicationThread() : m_thread([this] { loop(); }) {}

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
        m_wake.wait(lock, [this] { return m_stopping || !m_tasks.empty(); });
        if (m_tasks.empty())
            return;
        auto task = std::move(m_tasks.front());
        m_tasks.pop_front();
        lock.unlock();
        task();
        lock.lock();
    }
}

} // namespace trainyard
