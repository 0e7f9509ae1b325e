#include "engine/parallel/pipeline/pass_times.h"

#include <optional>
#include <utility>

#include "engine/comm/flight_recorder.h"

namespace trainyard {

namespace {

/// Nothing for a transfer: its rank only waits.
std::optional<TracedWork> workOf(PipelineActionKind kind)
{
    switch (kind) {
    case PipelineActionKind::Forward:
        return TracedWork::Forward;
    case PipelineActionKind::Backward:
        return TracedWork::Backward;
    case PipelineActionKind::BackwardInput:
        return TracedWork::BackwardInput;
    case PipelineActionKind::BackwardWeight:
        return TracedWork::BackwardWeight;
    case PipelineActionKind::ReduceGradients:
        return TracedWork::Reduce;
    case PipelineActionKind::OptimizerStep:
        return TracedWork::Optimizer;
    case PipelineActionKind::SendActivation:
    case PipelineActionKind::ReceiveActivation:
    case PipelineActionKind::SendGradient:
    case PipelineActionKind::ReceiveGradient:
        break;
    }
    return std::nullopt;
}

} // namespace

PassTimes::PassTimes(DeviceTimer* timer, FlightRecorder* recorder, const Clock& clock)
    : m_timer(timer), m_recorder(recorder), m_clock(clock)
{
}

void PassTimes::start()
{
    m_spans.clear();
    m_marked.clear();
    m_isNoting = std::exchange(m_isExpected, false);
    m_startNs = m_clock.now().monotonicNs;
    if (m_isNoting && m_timer)
        m_start = m_timer->mark();
}

std::vector<TracedSpan> PassTimes::take()
{
    if (m_isNoting && m_timer)
        readMarks();
    m_isNoting = false;
    return std::exchange(m_spans, {});
}

void PassTimes::readMarks()
{
    m_timer->mark()->wait();
    for (std::size_t i = 0; i < m_spans.size(); ++i) {
        m_spans[i].start = m_marked[i].begin->secondsSince(*m_start);
        m_spans[i].end = m_marked[i].end->secondsSince(*m_start);
    }
    m_marked.clear();
}

double PassTimes::now() const
{
    return static_cast<double>(m_clock.now().monotonicNs - m_startNs) * 1e-9;
}

PassTimes::Scope::Scope(PassTimes* times, const PipelineAction& action)
{
    const auto work = workOf(action.kind);
    if (!times || !work)
        return;
    m_recorder = times->m_recorder;
    if (m_recorder)
        m_ticket = m_recorder->beginPass(*work, action.microBatch, action.chunk);
    if (!times->m_isNoting)
        return;
    m_noting = times;
    m_span = {*work, action.microBatch, action.chunk, times->now(), 0};
    if (times->m_timer)
        m_begin = times->m_timer->mark();
}

PassTimes::Scope::~Scope()
{
    if (m_noting) {
        m_span.end = m_noting->now();
        m_noting->m_spans.push_back(m_span);
        if (m_begin)
            m_noting->m_marked.push_back({std::move(m_begin), m_noting->m_timer->mark()});
    }
    if (m_recorder)
        m_recorder->endPass(m_ticket);
}

} // namespace trainyard
