#pragma once

#include <cstdint>
#include <string>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"
#include "engine/records/fence.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// The one place of a run's supervisor: the run's lock, the fence before older attempts, and supervisor.json,
/// which says who has the place. It is left with this object. One thread.
class SupervisorPlace {
public:
    /// Fences the attempts before this one and takes the lock. An older attempt's supervisor that is still at
    /// work, on another node for example, is given time to notice and to leave. Refused when it does not,
    /// when a newer attempt has begun, and when this one was begun already.
    static Result<SupervisorPlace> take(const RunFolder& folder, std::uint32_t attempt);

    /// Goes on with this attempt, and fences the one so far. Refused when a newer one has begun.
    Status fenceBefore(std::uint32_t attempt);
    /// Writes down that we have the place, for the attempt that take() or fenceBefore() named.
    Status sign() const;

    /// Whether a newer attempt fences ours: from then on for ever. Looks once a second at most.
    bool look();
    /// By which attempt look() found us fenced, as a sentence; empty = by none.
    const std::string& fencedBy() const { return m_fencedBy; }

private:
    SupervisorPlace(RunFolder folder, LockFile lock, Fence fence, std::uint32_t attempt);

    RunFolder m_folder;
    LockFile m_lock;
    Fence m_fence;
    std::uint32_t m_attempt;
    std::string m_fencedBy;
};

} // namespace trainyard::agent
