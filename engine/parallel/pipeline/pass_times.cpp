#include "engine/parallel/pipeline/pass_times.h"

#include <optional>
#include <utility>

#include <c10/core/impl/VirtualGuardImpl.h>

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

PassTimes::PassTimes(c10::Device place, const Clock& clock) : m_place(place), m_clock(clock) {}

void PassTimes::start()
{
    m_spans.clear();
    m_isNoting = true;
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
    : m_times(times && times->m_isNoting && workOf(action.kind) ? times : nullptr)
{
    if (m_times)
        m_span = {*workOf(action.kind), action.microBatch, action.chunk, m_times->now(), 0};
}

PassTimes::Scope::~Scope()
{
    if (!m_times)
        return;
    m_span.end = m_times->now();
    m_times->m_spans.push_back(m_span);
}

} // namespace trainyard
