#pragma once

#include <cstdint>
#include <string>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"
#include "engine/records/fence.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Ensures that one process supervises a run: holds the run's lock, fences earlier attempts, and writes
/// supervisor.json, which identifies the holder. Released with this object. One thread.
class SupervisorPlace {
public:
    /// Fences earlier attempts and takes the lock. Gives an active supervisor of an earlier attempt, on
    /// another node for example, time to notice and end. Refused when it does not, when a newer attempt has
    /// begun, and when this one has been started already.
    static Result<SupervisorPlace> take(const RunFolder& folder, std::uint32_t attempt);

    /// Continues with this attempt, and fences the current one. Refused when a newer one has begun.
    Status fenceBefore(std::uint32_t attempt);
    /// Records this process as the holder in supervisor.json, with the attempt passed to take() or
    /// fenceBefore().
    Status sign() const;

    /// Returns whether a newer attempt fences ours; once true, it stays true. Polls at most once a second.
    bool look();
    /// Names the attempt that fences ours, in a sentence; empty = none.
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
