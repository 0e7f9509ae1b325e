#pragma once

#include <chrono>
#include <cstdint>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Decides when an attempt without some hosts ends for one with them. The supervisor acts on it.
///
///     look for hosts ── some can run ranks ──▶ ask for a checkpoint ── it is published ──▶ end
///
/// So growing costs the steps since that checkpoint and the start of the next attempt, however rarely the run
/// saves checkpoints itself. Looks for hosts once more when the checkpoint takes longer than an interval;
/// starts over when none has come after three.
class WorldGrowth {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, LookForHosts, AskForCheckpoint, MakeRoom };

    /// The attempt started at `start`; hosts are looked for every `interval`.
    WorldGrowth(const RunFolder& folder, TimePoint start, std::chrono::milliseconds interval)
        : m_folder(folder), m_interval(interval), m_nextLook(start + interval)
    {
    }

    /// Returns the action that is due now, each action once. Reads the run's newest checkpoint while it waits
    /// for one.
    Action next(TimePoint now);
    /// The result of looking for hosts.
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
