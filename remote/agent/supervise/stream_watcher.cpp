#include "remote/agent/supervise/stream_watcher.h"

#include <algorithm>

#include "engine/base/units.h"

namespace trainyard::agent {

void StreamWatcher::look()
{
    while (!m_damaged) {
        const Result<std::string> bytes = m_tail.read(256 * kKiB);
        if (!bytes.ok() || bytes->empty())
            return;
        const auto records = m_parser.feed(*bytes);
        m_damaged = !records.ok();
        if (!m_damaged)
            std::for_each(records->begin(), records->end(), [this](const Record& record) { take(record); });
    }
}

void StreamWatcher::take(const Record& record)
{
    if (const auto* step = std::get_if<StepRecord>(&record.payload)) {
        m_lastStep = step->step;
        m_lastStepSeconds = step->stepSeconds;
    }
    if (record.attempt != m_attempt)
        return;
    m_started = true;
    m_stepsFinished += std::holds_alternative<StepRecord>(record.payload) ? 1 : 0;
    const auto* event = std::get_if<EventRecord>(&record.payload);
    if (event && event->severity == Severity::Error)
        m_lastError = *event;
    if (event && event->kind == "training-finished")
        m_whyFinished = event->message;
}

} // namespace trainyard::agent
