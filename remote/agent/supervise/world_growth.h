#pragma once

#include <chrono>
#include <cstdint>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Decides when an attempt that lacks some hosts should end, so that the next one can include them. The
/// supervisor carries it out.
///
///     look for hosts ── some can run ranks ──▶ ask for a checkpoint ── it is published ──▶ end
///
/// Growing costs the steps since that checkpoint and the start of the next attempt, however rarely the run
/// itself writes checkpoints. Looks for the hosts again if the checkpoint takes longer than one interval;
/// starts over if it takes longer than three.
class WorldGrowth {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, LookForHosts, AskForCheckpoint, EndAttempt };

    /// `start`: of the attempt. `interval`: between searches for hosts.
    WorldGrowth(const RunFolder& folder, TimePoint start, std::chrono::milliseconds interval)
        : m_folder(folder), m_interval(interval), m_nextLook(start + interval)
    {
    }

    /// Returns the action that is due now, each action once. Reads the run's newest checkpoint while it waits
    /// for one.
    Action next(TimePoint now);
    /// Report the result of a search.
    void hostsFound();
    void nobodyFound(TimePoint now);

private:
    static constexpr int kPatience = 3; ///< intervals to wait for the checkpoint

    enum class Phase { Waiting, Looking, Found, Saving, LookingAgain, FoundAgain, Over };
    Action afterAsking(TimePoint now);
    Action enter(Phase phase, Action action);

    RunFolder m_folder;
    std::chrono::milliseconds m_interval;
    TimePoint m_nextLook;
    Phase m_phase = Phase::Waiting;
    std::int64_t m_checkpointBefore = 0; ///< newest one when the request was made
    TimePoint m_asked;                   ///< time of the request
};

} // namespace trainyard::agent
