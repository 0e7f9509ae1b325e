#include "engine/parallel/pipeline/pass_times.h"

#include <optional>
#include <utility>

#include <c10/core/impl/VirtualGuardImpl.h>

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

PassTimes::PassTimes(c10::Device place, FlightRecorder* recorder, const Clock& clock)
    : m_place(place), m_recorder(recorder), m_clock(clock)
{
}

void PassTimes::start()
{
    m_spans.clear();
    m_isNoting = std::exchange(m_isExpected, false);
    m_startNs = m_clock.now().monotonicNs;
}

std::vector<TracedSpan> PassTimes::take()
{
    m_isNoting = false;
    return std::exchange(m_spans, {});
}

/// Once the device has done what it was given.
double PassTimes::now() const
{
    if (!m_place.is_cpu())
        c10::impl::VirtualGuardImpl(m_place.type()).synchronizeDevice(m_place.index());
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
}

PassTimes::Scope::~Scope()
{
    if (m_noting) {
        m_span.end = m_noting->now();
        m_noting->m_spans.push_back(m_span);
    }
    if (m_recorder)
        m_recorder->endPass(m_ticket);
}

} // namespace trainyard
