#include "remote/agent/supervise/world_growth.h"

namespace trainyard::agent {

WorldGrowth::Action WorldGrowth::next(TimePoint now)
{
    switch (m_phase) {
    case Phase::Waiting:
        if (now < m_nextLook)
            return Action::None;
        m_phase = Phase::Looking;
        return Action::LookForHosts;
    case Phase::Found:
        m_phase = Phase::Saving;
        m_checkpointBefore = m_folder.newestCheckpoint();
        return Action::AskForCheckpoint;
    case Phase::Saving:
        if (m_folder.newestCheckpoint() <= m_checkpointBefore)
            return Action::None;
        m_phase = Phase::Over;
        return Action::MakeRoom;
    case Phase::Looking:
    case Phase::Over:
        return Action::None;
    }
    return Action::None;
}

void WorldGrowth::nobodyFound(TimePoint now)
{
    m_phase = Phase::Waiting;
    m_nextLook = now + m_interval;
}

} // namespace trainyard::agent
