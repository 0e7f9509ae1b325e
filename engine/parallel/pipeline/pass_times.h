#pragma once

#include <cstdint>
#include <vector>

#include <c10/core/Device.h>

#include "engine/base/clock.h"
#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/records/record.h"

namespace trainyard {

class FlightRecorder;

/// When a rank did the actions of a step's schedule. The flight ring hears of all of them, as the rank's
/// thread sees them. The spans of a step that is asked for are noted too: on a device each of its actions
/// waits until the device has done it, for else only its launch would be timed, so ask for a step now and
/// then. One thread.
class PassTimes {
public:
    /// `recorder` may be null, and outlives this object.
    explicit PassTimes(c10::Device place, FlightRecorder* recorder = nullptr,
                       const Clock& clock = systemClock());

    /// The next step's spans are wanted.
    void expect() { m_isExpected = true; }
    /// A step begins; times count from here.
    void start();
    /// In order of time, of the step that was expected. Nothing is noted until one is again.
    std::vector<TracedSpan> take();

    /// Times an action from its construction to its destruction; without PassTimes (null) nothing happens.
    class Scope {
    public:
        Scope(PassTimes* times, const PipelineAction& action);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        FlightRecorder* m_recorder = nullptr; // null = nobody is told
        std::uint64_t m_ticket = 0;
        PassTimes* m_noting = nullptr; // null = no span is noted
        TracedSpan m_span;
    };

private:
    double now() const;

    const c10::Device m_place;
    FlightRecorder* const m_recorder;
    const Clock& m_clock;
    bool m_isExpected = false;
    bool m_isNoting = false;
    std::int64_t m_startNs = 0;
    std::vector<TracedSpan> m_spans;
};

} // namespace trainyard
