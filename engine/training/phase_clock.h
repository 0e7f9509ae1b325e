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

    /// Time counts for `phase` until the next call.
    void enter(StepPhase phase);
    /// Seconds by phase since the last finish(); what passes from now on counts for Other of the next step.
    SecondsByPhase finish();

private:
    void closePhase();

    FlightRecorder* m_recorder;
    const Clock& m_clock;
    StepPhase m_phase = StepPhase::Other;
    std::int64_t m_sinceNs;
    SecondsByPhase m_seconds{};
};

} // namespace trainyard
