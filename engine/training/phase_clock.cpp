#include "engine/training/phase_clock.h"

#include <utility>

#include "engine/comm/flight_recorder.h"

namespace trainyard {

namespace {

std::optional<Activity> activityOf(StepPhase phase)
{
    switch (phase) {
    case StepPhase::Input:
        return Activity::Input;
    case StepPhase::Forward:
        return Activity::Forward;
    case StepPhase::Backward:
        return Activity::Backward;
    case StepPhase::Reduce:
        return Activity::Reduce;
    case StepPhase::Optimizer:
        return Activity::Optimizer;
    case StepPhase::Other:
        break;
    }
    return std::nullopt;
}

} // namespace

PhaseClock::PhaseClock(FlightRecorder* recorder, const Clock& clock)
    : m_recorder(recorder), m_clock(clock), m_sinceNs(clock.now().monotonicNs)
{
}

void PhaseClock::closePhase()
{
    const std::int64_t now = m_clock.now().monotonicNs;
    m_seconds[static_cast<std::size_t>(m_phase)] += static_cast<double>(now - m_sinceNs) * 1e-9;
    m_sinceNs = now;
}

void PhaseClock::enter(StepPhase phase)
{
    closePhase();
    m_phase = phase;
    if (const auto activity = activityOf(phase); m_recorder && activity)
        m_recorder->setActivity(*activity);
}

SecondsByPhase PhaseClock::finish()
{
    enter(StepPhase::Other);
    return std::exchange(m_seconds, {});
}

} // namespace trainyard
