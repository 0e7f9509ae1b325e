#pragma once

#include <chrono>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Decides when a run is asked to stop, gets SIGTERM and gets SIGKILL. The supervisor carries it out.
class StopSequence {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    enum class Action { None, Announce, Terminate, Kill };

    /// `grace`: time between a request and SIGTERM, unless the request states another one.
    StopSequence(const RunFolder& folder, std::chrono::milliseconds grace) : m_folder(folder), m_grace(grace)
    {
    }

    /// Returns the action that is due now, each action once. Polls the requests in the control folder.
    Action next(TimePoint now);
    /// Makes next() terminate the job immediately and kill it after `patience`, because of a signal to the
    /// supervisor.
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
