#include "remote/agent/supervise/supervisor_place.h"

#include <chrono>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/run_status.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookAgain{100};
constexpr std::chrono::seconds kOldSupervisorPatience{20}; ///< to see that it is fenced, and to end its job

/// Takes the lock; waits for an older attempt's supervisor, which exits once it sees the fence.
Result<LockFile> takeLock(const RunFolder& folder, std::uint32_t attempt)
{
    const auto holder = readSupervisor(folder);
    const bool willLeave = holder && holder->attempt < attempt;
    const auto deadline = SteadyClock::now() + kOldSupervisorPatience;
    for (;;) {
        TRAINYARD_TRY(auto lock, LockFile::tryAcquire(folder.supervisorLock()));
        if (lock)
            return std::move(*lock);
        if (!willLeave || SteadyClock::now() >= deadline)
            return refused("the run " + folder.run() + " has a supervisor already" +
                               (holder ? ", on " + holder->host : std::string()),
                           "stop it first");
        std::this_thread::sleep_for(kLookAgain);
    }
}

/// Called under the lock: an attempt that was started twice may have ended before this process got the lock.
Status checkIsNew(const RunFolder& folder, std::uint32_t attempt)
{
    const auto last = readSupervisor(folder);
    if (!last || last->attempt < attempt)
        return {};
    return refused(fmt::format("attempt {} of the run {} has already been started, on {}", attempt,
                               folder.run(), last->host),
                   "start the next one");
}

} // namespace

Result<SupervisorPlace> SupervisorPlace::take(const RunFolder& folder, std::uint32_t attempt)
{
    const Fence fence(folder.path(), attempt);
    TRAINYARD_TRY_STATUS(fence.raise());
    TRAINYARD_TRY(LockFile lock, takeLock(folder, attempt));
    TRAINYARD_TRY_STATUS(checkIsNew(folder, attempt));
    return SupervisorPlace(folder, std::move(lock), fence, attempt);
}

SupervisorPlace::SupervisorPlace(RunFolder folder, LockFile lock, Fence fence, std::uint32_t attempt)
    : m_folder(std::move(folder)), m_lock(std::move(lock)), m_fence(std::move(fence)), m_attempt(attempt)
{
}

Status SupervisorPlace::fenceBefore(std::uint32_t attempt)
{
    const Fence fence(m_folder.path(), attempt);
    TRAINYARD_TRY_STATUS(fence.raise());
    m_attempt = attempt;
    m_fence = fence;
    return {};
}

Status SupervisorPlace::sign() const
{
    const auto self = processId(::getpid());
    return writeSupervisor(m_folder,
                           {::getpid(), self ? self->startTime : 0, m_attempt, hostName(), bootId()});
}

bool SupervisorPlace::look()
{
    const Status open = m_fence.glance();
    if (!open.ok() && m_fencedBy.empty())
        m_fencedBy = open.error().message;
    return !m_fencedBy.empty();
}

} // namespace trainyard::agent
