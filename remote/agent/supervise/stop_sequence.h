#pragma once

#include <chrono>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// How a run is brought to its end: asked, then terminated, then killed, each after its time. Only decides;
/// the supervisor acts.
class StopSequence {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, Announce, Terminate, Kill };

    StopSequence(const RunFolder& folder, std::chrono::milliseconds grace) : m_folder(folder), m_grace(grace)
    {
    }

    /// What is to be done now, each action once. Looks for the requests in the control folder.
    Action next(TimePoint now);
    /// Somebody sent the supervisor a signal: as a request without a grace period.
    void abort() { m_aborted = true; }

    bool asked() const { return m_phase != Phase::Running; }
    bool terminated() const { return m_phase == Phase::Terminated || m_phase == Phase::Killed; }

private:
    enum class Phase { Running, Asked, Terminated, Killed };
    Action terminateAt(TimePoint now);

    RunFolder m_folder;
    std::chrono::milliseconds m_grace;
    Phase m_phase = Phase::Running;
    TimePoint m_deadline;
    bool m_aborted = false;
};

} // namespace trainyard::agent
