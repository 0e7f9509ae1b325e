#include "remote/agent/supervise/world_growth.h"

namespace trainyard::agent {

WorldGrowth::Action WorldGrowth::next(TimePoint now)
{
    switch (m_phase) {
    case Phase::Waiting:
        return now < m_nextLook ? Action::None : enter(Phase::Looking, Action::LookForHosts);
    case Phase::Found:
        m_checkpointBefore = m_folder.publishedCheckpoint();
        m_asked = now;
        return enter(Phase::Saving, Action::AskForCheckpoint);
    case Phase::Saving:
        return afterAsking(now);
    case Phase::FoundAgain:
        return enter(Phase::Over, Action::EndAttempt);
    case Phase::Looking:
    case Phase::LookingAgain:
    case Phase::Over:
        return Action::None;
    }
    return Action::None;
}

/// The wait is limited because the request may be lost: a checkpoint that fails (full disk) consumes it too.
WorldGrowth::Action WorldGrowth::afterAsking(TimePoint now)
{
    if (m_folder.publishedCheckpoint() > m_checkpointBefore)
        return now - m_asked <= m_interval ? enter(Phase::Over, Action::EndAttempt)
                                           : enter(Phase::LookingAgain, Action::LookForHosts);
    return now - m_asked < kPatience * m_interval ? Action::None
                                                  : enter(Phase::Looking, Action::LookForHosts);
}

WorldGrowth::Action WorldGrowth::enter(Phase phase, Action action)
{
    m_phase = phase;
    return action;
}

void WorldGrowth::hostsFound()
{
    m_phase = m_phase == Phase::LookingAgain ? Phase::FoundAgain : Phase::Found;
}

void WorldGrowth::nobodyFound(TimePoint now)
{
    m_phase = Phase::Waiting;
    m_nextLook = now + m_interval;
}

} // namespace trainyard::agent
