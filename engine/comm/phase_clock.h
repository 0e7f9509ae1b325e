#pragma once

#include <deque>
#include <memory>

#include "engine/base/clock.h"
#include "engine/comm/device_timer.h"
#include "engine/records/record.h"

namespace trainyard {

class FlightRecorder;

/// Splits the wall time of a step into phases and tells the flight ring what the rank is doing. One thread.
///
/// On a device it is the device's time: each change of phase marks the work that the device is given, and
/// what it does between two marks, waiting included, counts for the phase of the first one. Nothing waits for
/// the device, so what it has not done at the end of a step, as a rule the optimizer's update, counts in the
/// next one; the times of all steps still add up to the wall time.
class PhaseClock {
public:
    /// `recorder` may be null, as may `timer`: the thread then does the work itself.
    explicit PhaseClock(FlightRecorder* recorder, const Clock& clock = systemClock(),
                        DeviceTimer* timer = nullptr);
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

    /// What a device was given from the mark on belongs to the phase.
    struct MarkedPhase {
        StepPhase phase;
        std::unique_ptr<DeviceMark> begin;
    };

    /// Returns the phase before.
    StepPhase change(StepPhase phase);
    void takeHostTime();
    void takeDeviceTime();
    void add(StepPhase phase, double seconds) { m_seconds[static_cast<std::size_t>(phase)] += seconds; }

    FlightRecorder* m_recorder;
    const Clock& m_clock;
    DeviceTimer* m_timer;
    StepPhase m_phase = StepPhase::Other;
    std::int64_t m_sinceNs;
    std::deque<MarkedPhase> m_marks; // oldest first; empty without a device
    SecondsByPhase m_seconds{};
};

/// While it lives, time of this thread counts for `phase`, and not for the one around it: a wait or a copy
/// inside a pass. Scopes nest. Two clock reads or marks; does nothing on a thread without PhaseClock.
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
