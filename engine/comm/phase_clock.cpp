#include "engine/comm/phase_clock.h"

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
    case StepPhase::Transfers:
    case StepPhase::Bubble:
        return Activity::Reduce;
    case StepPhase::Optimizer:
        return Activity::Optimizer;
    case StepPhase::Other:
    case StepPhase::Tensor:
    case StepPhase::Context:
    case StepPhase::Expert:
    case StepPhase::Offload:
        break;
    }
    return std::nullopt;
}

thread_local PhaseClock* clockOfThread = nullptr;

} // namespace

PhaseClock::PhaseClock(FlightRecorder* recorder, const Clock& clock, DeviceTimer* timer)
    : m_recorder(recorder), m_clock(clock), m_timer(timer), m_sinceNs(clock.now().monotonicNs)
{
    if (m_timer)
        m_marks.push_back({m_phase, m_timer->mark()});
}

PhaseClock::~PhaseClock()
{
    if (clockOfThread == this)
        clockOfThread = nullptr;
}

StepPhase PhaseClock::change(StepPhase phase)
{
    if (m_timer)
        m_marks.push_back({phase, m_timer->mark()});
    else
        takeHostTime();
    return std::exchange(m_phase, phase);
}

void PhaseClock::takeHostTime()
{
    const std::int64_t now = m_clock.now().monotonicNs;
    add(m_phase, static_cast<double>(now - m_sinceNs) * 1e-9);
    m_sinceNs = now;
}

/// Up to the newest mark that the device has reached; a phase ends where the next one begins.
void PhaseClock::takeDeviceTime()
{
    while (m_marks.size() > 1 && m_marks[1].begin->isReached()) {
        add(m_marks[0].phase, m_marks[1].begin->secondsSince(*m_marks[0].begin));
        m_marks.pop_front();
    }
}

void PhaseClock::enter(StepPhase phase)
{
    change(phase);
    clockOfThread = this;
    if (const auto activity = activityOf(phase); m_recorder && activity)
        m_recorder->setActivity(*activity);
}

SecondsByPhase PhaseClock::finish()
{
    enter(StepPhase::Other);
    if (m_timer)
        takeDeviceTime();
    return std::exchange(m_seconds, {});
}

PhaseScope::PhaseScope(StepPhase phase)
    : m_clock(clockOfThread), m_outer(m_clock ? m_clock->change(phase) : phase)
{
}

PhaseScope::~PhaseScope()
{
    if (m_clock)
        m_clock->change(m_outer);
}

} // namespace trainyard
