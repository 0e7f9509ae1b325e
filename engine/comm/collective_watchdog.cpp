#include "engine/comm/collective_watchdog.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/units.h"
#include "engine/comm/work.h"

namespace trainyard {

namespace {

constexpr std::chrono::milliseconds kBetweenLooks{2};

/// Calls return at once as a rule, so that nobody wakes the thread for them.
constexpr std::chrono::milliseconds kBetweenLooksAtCalls{500};

} // namespace

CollectiveWatchdog::Call::Call(CollectiveWatchdog& watchdog, std::string name) : m_watchdog(watchdog)
{
    const std::lock_guard lock(watchdog.m_mutex);
    m_place =
        watchdog.m_calls.insert(watchdog.m_calls.end(), {std::move(name), Clock::now() + watchdog.m_limit});
}

CollectiveWatchdog::Call::~Call()
{
    if (m_isOver)
        return;
    const std::lock_guard lock(m_watchdog.m_mutex);
    m_watchdog.m_calls.erase(m_place);
}

void CollectiveWatchdog::Call::handedOver(std::shared_ptr<DeviceWork> work, std::function<void()> onDone)
{
    TRAINYARD_CHECK(!m_isOver);
    {
        const std::lock_guard lock(m_watchdog.m_mutex);
        m_place->work = std::move(work);
        m_place->onDone = std::move(onDone);
        m_place->deadline = Clock::now() + m_watchdog.m_limit;
        m_watchdog.m_new.splice(m_watchdog.m_new.end(), m_watchdog.m_calls, m_place);
    }
    m_isOver = true;
    m_watchdog.m_changed.notify_one();
}

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

void CollectiveWatchdog::loop()
{
    Entries underWay;
    std::unique_lock lock(m_mutex);
    for (;;) {
        if (underWay.empty())
            m_changed.wait_for(lock, std::min(m_limit, kBetweenLooksAtCalls),
                               [this] { return m_stopping || !m_new.empty(); });
        else
            m_changed.wait_for(lock, kBetweenLooks, [this] { return m_stopping; });
        if (m_stopping)
            return;
        underWay.splice(underWay.end(), m_new);
        const std::string overdue = overdueCall();
        lock.unlock();
        if (!overdue.empty())
            return give(overdueText(overdue));
        if (!lookAtAll(underWay))
            return;
        lock.lock();
    }
}

std::string CollectiveWatchdog::overdueCall() const
{
    const auto overdue = std::ranges::find_if(
        m_calls, [now = Clock::now()](const Entry& call) { return now > call.deadline; });
    return overdue == m_calls.end() ? std::string() : overdue->name;
}

bool CollectiveWatchdog::lookAtAll(Entries& underWay)
{
    for (auto watched = underWay.begin(); watched != underWay.end();) {
        bool done = false;
        try {
            done = watched->work->isDone();
        } catch (const CommunicationError& error) {
            give(fmt::format("{} failed: {}", watched->name, error.what()));
            return false;
        }
        if (!done && Clock::now() > watched->deadline) {
            give(overdueText(watched->name));
            return false;
        }
        if (done)
            watched->onDone();
        watched = done ? underWay.erase(watched) : std::next(watched);
    }
    return true;
}

std::string CollectiveWatchdog::overdueText(const std::string& name) const
{
    return fmt::format("{} did not finish within {}: a rank of its group did not enter it", name,
                       formatDuration(m_limit));
}

void CollectiveWatchdog::give(const std::string& verdict)
{
    m_verdict.say(verdict);
    m_verdict.end();
}

} // namespace trainyard
