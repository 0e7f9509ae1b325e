#include "remote/agent/supervise/stop_sequence.h"

#include "remote/agent/runs/run_requests.h"

namespace trainyard::agent {

StopSequence::Action StopSequence::next(TimePoint now)
{
    if (!terminated() && (m_aborted || isAskedToAbort(m_folder)))
        return terminateAt(now);
    switch (m_phase) {
    case Phase::Running:
        if (const auto grace = askedGrace(m_folder, m_grace)) {
            m_phase = Phase::Asked;
            m_deadline = now + *grace;
            return Action::Announce;
        }
        return Action::None;
    case Phase::Asked:
        return now < m_deadline ? Action::None : terminateAt(now);
    case Phase::Terminated:
        if (now < m_deadline)
            return Action::None;
        m_phase = Phase::Killed;
        return Action::Kill;
    case Phase::Killed:
        return Action::None;
    }
    return Action::None;
}

StopSequence::Action StopSequence::terminateAt(TimePoint now)
{
    m_phase = Phase::Terminated;
    m_deadline = now + m_termGrace;
    return Action::Terminate;
}

} // namespace trainyard::agent
