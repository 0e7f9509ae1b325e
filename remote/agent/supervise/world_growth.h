#pragma once

#include <chrono>
#include <cstdint>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// When an attempt that goes on without some hosts makes room for one with them. Only decides; the supervisor
/// acts.
///
///     look for hosts ── some can carry ranks ──▶ ask for a checkpoint ── it is published ──▶ make room
///
/// So the growth costs the steps since that checkpoint and the start of the next attempt, however seldom the
/// run keeps checkpoints of its own. Hosts are looked for once more when the checkpoint took longer than an
/// interval; when none has come after three, everything begins anew.
class WorldGrowth {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, LookForHosts, AskForCheckpoint, MakeRoom };

    /// The attempt began at `start`; hosts are looked for whenever `interval` has passed.
    WorldGrowth(const RunFolder& folder, TimePoint start, std::chrono::milliseconds interval)
        : m_folder(folder), m_interval(interval), m_nextLook(start + interval)
    {
    }

    /// What is to be done now, each action once. Looks at the run's newest checkpoint where it waits for one.
    Action next(TimePoint now);
    /// What looking for hosts brought.
    void hostsFound();
    void nobodyFound(TimePoint now);

private:
    static constexpr int kPatience = 3; ///< intervals until a checkpoint is asked for again

    enum class Phase { Waiting, Looking, Found, Saving, LookingAgain, FoundAgain, Over };
    Action afterAsking(TimePoint now);
    Action enter(Phase phase, Action action);

    RunFolder m_folder;
    std::chrono::milliseconds m_interval;
    TimePoint m_nextLook;
    Phase m_phase = Phase::Waiting;
    std::int64_t m_checkpointBefore = 0; ///< the newest one when another one was asked for
    TimePoint m_asked;                   ///< when it was
};

} // namespace trainyard::agent
