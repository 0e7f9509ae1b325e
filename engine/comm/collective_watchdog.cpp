#include "engine/comm/collective_watchdog.h"

#include <fmt/format.h>

#include "engine/base/units.h"
#include "engine/comm/work.h"

namespace trainyard {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{2};

} // namespace

CollectiveWatchdog::CollectiveWatchdog(std::chrono::milliseconds limit, Verdict verdict)
    : m_limit(limit), m_verdict(std::move(verdict)), m_thread([this] { loop(); })
{
}

CollectiveWatchdog::~CollectiveWatchdog()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stopping = true;
    }
    m_changed.notify_one();
    m_thread.join();
}

void CollectiveWatchdog::watch(std::shared_ptr<DeviceWork> work, std::string name,
                               std::function<void()> onDone)
{
    {
        const std::lock_guard lock(m_mutex);
        m_new.push_back({std::move(work), std::move(name), std::move(onDone), Clock::now() + m_limit});
    }
    m_changed.notify_one();
}

void CollectiveWatchdog::loop()
{
    std::list<Watched> underWay;
    std::unique_lock lock(m_mutex);
    for (;;) {
        if (underWay.empty())
            m_changed.wait(lock, [this] { return m_stopping || !m_new.empty(); });
        else
            m_changed.wait_for(lock, kBetweenLooks, [this] { return m_stopping; });
        if (m_stopping)
            return;
        underWay.splice(underWay.end(), m_new);
        lock.unlock();
        if (!lookAtAll(underWay))
            return;
        lock.lock();
    }
}

bool CollectiveWatchdog::lookAtAll(std::list<Watched>& underWay)
{
    for (auto watched = underWay.begin(); watched != underWay.end();) {
        bool done = false;
        try {
            done = watched->work->isDone();
        } catch (const std::exception& error) {
            fail(*watched->work, fmt::format("{} failed: {}", watched->name, error.what()));
            return false;
        }
        if (!done && Clock::now() > watched->deadline) {
            fail(*watched->work,
                 fmt::format("{} did not finish within {}: a rank of its group did not enter it",
                             watched->name, formatDuration(m_limit)));
            return false;
        }
        if (done)
            watched->onDone();
        watched = done ? underWay.erase(watched) : std::next(watched);
    }
    return true;
}

void CollectiveWatchdog::fail(DeviceWork& work, const std::string& what)
{
    m_verdict.say(what);
    work.abort();
    m_verdict.end();
}

} // namespace trainyard
