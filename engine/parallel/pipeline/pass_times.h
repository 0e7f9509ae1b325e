#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/clock.h"
#include "engine/comm/device_timer.h"
#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/records/record.h"

namespace trainyard {

class FlightRecorder;

/// When a rank did the actions of a step's schedule. The flight ring hears of all of them, as the rank's
/// thread sees them. The spans of a step that is asked for are noted too: on a device those of the device,
/// between marks in what it is given to compute. Nothing waits before the step is over: its sends may wait
/// for ranks that wait for what this thread does next. One thread.
class PassTimes {
public:
    /// `timer`: of the device that computes; null: the thread does. Both pointers may be null, and outlive
    /// this object.
    explicit PassTimes(DeviceTimer* timer, FlightRecorder* recorder = nullptr,
                       const Clock& clock = systemClock());

    /// The next step's spans are wanted.
    void expect() { m_isExpected = true; }
    /// A step begins; times count from here.
    void start();
    /// In order of time, of the step that was expected, once its device has done them: at the end of a step.
    /// Nothing is noted until one is again.
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
        std::unique_ptr<DeviceMark> m_begin;
    };

private:
    /// A span of the device, whose times are known once it has reached the marks.
    struct MarkedSpan {
        std::unique_ptr<DeviceMark> begin;
        std::unique_ptr<DeviceMark> end;
    };

    double now() const;
    void readMarks();

    DeviceTimer* const m_timer;
    FlightRecorder* const m_recorder;
    const Clock& m_clock;
    bool m_isExpected = false;
    bool m_isNoting = false;
    std::int64_t m_startNs = 0;
    std::unique_ptr<DeviceMark> m_start; // null without a device
    std::vector<TracedSpan> m_spans;
    std::vector<MarkedSpan> m_marked; // of the spans; empty without a device
};

} // namespace trainyard
