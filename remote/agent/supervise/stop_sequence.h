#pragma once

#include <chrono>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Decides how a run is ended: a request, then SIGTERM, then SIGKILL, each after its time. The supervisor
/// acts on it.
class StopSequence {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, Announce, Terminate, Kill };

    /// `grace`: time between a request that names none and SIGTERM.
    StopSequence(const RunFolder& folder, std::chrono::milliseconds grace) : m_folder(folder), m_grace(grace)
    {
    }

    /// Returns the action that is due now, each action once. Polls the requests in the control folder.
    Action next(TimePoint now);
    /// The supervisor received a signal: terminates the job immediately, and kills it after `patience`.
    void abort(std::chrono::milliseconds patience = kTermGrace)
    {
        m_aborted = true;
        m_termGrace = patience;
    }

    bool asked() const { return m_phase != Phase::Running; }
    bool terminated() const { return m_phase == Phase::Terminated || m_phase == Phase::Killed; }

private:
    /// mpirun needs this long to end the ranks on other nodes.
    static constexpr std::chrono::milliseconds kTermGrace{2000};

    enum class Phase { Running, Asked, Terminated, Killed };
    Action terminateAt(TimePoint now);

    RunFolder m_folder;
    std::chrono::milliseconds m_grace;                  ///< between a request and SIGTERM
    std::chrono::milliseconds m_termGrace = kTermGrace; ///< between SIGTERM and SIGKILL
    Phase m_phase = Phase::Running;
    TimePoint m_deadline;
    bool m_aborted = false;
};

} // namespace trainyard::agent
