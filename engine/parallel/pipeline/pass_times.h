#pragma once

#include <cstdint>
#include <vector>

#include <c10/core/Device.h>

#include "engine/base/clock.h"
#include "engine/planner/pipeline/pipeline_schedule.h"
#include "engine/records/record.h"

namespace trainyard {

/// When a rank did the actions of a step's schedule. On a device each noted action waits until the device has
/// done it, for else only its launch would be timed: note a step now and then, not all. One thread.
class PassTimes {
public:
    explicit PassTimes(c10::Device place, const Clock& clock = systemClock());

    /// A step begins; times count from here.
    void start();
    /// In order of time. Nothing is noted until the next start().
    std::vector<TracedSpan> take();

    /// Notes an action from its construction to its destruction; without PassTimes (null), or before a
    /// start(), nothing happens.
    class Scope {
    public:
        Scope(PassTimes* times, const PipelineAction& action);
        ~Scope();
        Scope(const Scope&) = delete;
        Scope& operator=(const Scope&) = delete;

    private:
        PassTimes* const m_times; // null = nothing is noted
        TracedSpan m_span;
    };

private:
    double now() const;

    const c10::Device m_place;
    const Clock& m_clock;
    bool m_isNoting = false;
    std::int64_t m_startNs = 0;
    std::vector<TracedSpan> m_spans;
};

} // namespace trainyard
