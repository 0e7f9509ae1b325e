#pragma once

#include "engine/base/clock.h"
#include "engine/records/record.h"

namespace trainyard {

class FlightRecorder;

/// Splits the wall time of a step into phases and tells the flight ring what the rank is doing. One thread.
class PhaseClock {
public:
    /// `recorder` may be null.
    explicit PhaseClock(FlightRecorder* recorder, const Clock& clock = systemClock());
    ~PhaseClock();
    PhaseClock(const PhaseClock&) = delete;
    PhaseClock& operator=(const PhaseClock&) = delete;

    /// Time counts for `phase` until the next call. From now on the PhaseScopes of this thread are this
    /// clock's.
    void enter(StepPhase phase);
    /// Seconds by phase since the last finish(); time from now on counts as Other of the next step.
    SecondsByPhase finish();

private:
    friend class PhaseScope;
    /// Returns the phase before.
    StepPhase change(StepPhase phase);

    FlightRecorder* m_recorder;
    const Clock& m_clock;
    StepPhase m_phase = StepPhase::Other;
    std::int64_t m_sinceNs;
    SecondsByPhase m_seconds{};
};

/// While it lives, time of this thread counts for `phase`, and not for the one around it: a wait or a copy
/// inside a pass. Scopes nest. Two clock reads; does nothing on a thread without PhaseClock.
class PhaseScope {
public:
    explicit PhaseScope(StepPhase phase);
    ~PhaseScope();
    PhaseScope(const PhaseScope&) = delete;
    PhaseScope& operator=(const PhaseScope&) = delete;

private:
    PhaseClock* const m_clock; // null on a thread without one
    const StepPhase m_outer;
};

} // namespace trainyard
