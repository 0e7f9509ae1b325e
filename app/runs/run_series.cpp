#include "app/runs/run_series.h"

#include <algorithm>
#include <iterator>

namespace trainyard {

SequenceSet SequenceSet::upTo(std::uint64_t last)
{
    SequenceSet set;
    if (last > 0)
        set.m_intervals[1] = last;
    set.m_size = last;
    return set;
}

bool SequenceSet::insert(std::uint64_t sequence)
{
    auto next = m_intervals.upper_bound(sequence);
    auto previous = next == m_intervals.begin() ? m_intervals.end() : std::prev(next);
    if (previous != m_intervals.end() && sequence <= previous->second)
        return false;

    const bool joinsPrevious = previous != m_intervals.end() && previous->second + 1 == sequence;
    const bool joinsNext = next != m_intervals.end() && sequence + 1 == next->first;
    const std::uint64_t last = joinsNext ? next->second : sequence;
    if (joinsNext)
        m_intervals.erase(next);
    if (joinsPrevious)
        previous->second = last;
    else
        m_intervals.emplace(sequence, last);
    ++m_size;
    return true;
}

namespace {

const QString kStepStream = QStringLiteral("steps");

template <typename... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <typename... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

bool isEarlier(const RunEvent& a, const RunEvent& b)
{
    return std::tie(a.orderNs, a.stream, a.sequence) < std::tie(b.orderNs, b.stream, b.sequence);
}

} // namespace

bool isSlowedDown(const DeviceHealth& health)
{
    return health.isLimitedBy(ClockLimit::Heat) || health.isLimitedBy(ClockLimit::PowerBrake) ||
           health.isLimitedBy(ClockLimit::Hardware);
}

std::size_t RunSeries::apply(const QString& stream, const std::vector<Record>& records)
{
    SequenceSet& seen = m_seen[stream];
    std::size_t fresh = 0;
    for (const Record& record : records) {
        if (!seen.insert(record.sequence))
            continue;
        take(stream, record);
        ++fresh;
    }
    return fresh;
}

void RunSeries::restore(StepStream stream)
{
    m_seen[kStepStream] = SequenceSet::upTo(stream.journal.lastSequence);
    m_stepsEnd = stream.journal;
    m_steps = std::move(stream.steps);
    m_restoredSteps = m_steps.size();
    m_evaluations = std::move(stream.evaluations);
    m_ranks = std::move(stream.ranks);
    m_trace = std::move(stream.trace);
    m_traceSequence = stream.traceSequence;
    m_expertLoad = std::move(stream.expertLoad);
    m_expertLoadSequence = stream.expertLoadSequence;
    m_rankDevices = std::move(stream.rankDevices);
    m_newestNs = std::max(m_newestNs, stream.newestNs);
}

void RunSeries::setStepsEnd(const JournalEnd& end)
{
    if (end.lastSequence >= m_stepsEnd.lastSequence)
        m_stepsEnd = end;
}

StepStream RunSeries::stepStream() const
{
    return {m_steps,      m_evaluations,        m_ranks,       m_trace,    m_traceSequence,
            m_expertLoad, m_expertLoadSequence, m_rankDevices, m_stepsEnd, m_newestNs};
}

void RunSeries::forget(const QString& stream)
{
    m_seen.erase(stream);
    m_newestEventNs.erase(stream);
    std::erase_if(m_events, [&](const RunEvent& event) { return event.stream == stream; });
    std::erase_if(m_devices, [&](const auto& device) { return device.first.first == stream; });
    if (stream == kStepStream) {
        m_steps = {};
        m_evaluations = {};
        m_ranks = {};
        m_stepsEnd = {};
        m_restoredSteps = 0;
        m_trace.reset();
        m_traceSequence = 0;
        m_expertLoad.reset();
        m_expertLoadSequence = 0;
        m_rankDevices = {};
        m_rankDevicesSequence = 0;
    } else if (stream == QLatin1String("run")) {
        m_status = {};
        m_stateSequence = 0;
    } else if (stream == QLatin1String("prepare")) {
        m_stages.clear();
    }
}

std::vector<NodeDevice> RunSeries::devices() const
{
    std::vector<NodeDevice> list;
    for (const auto& [key, device] : m_devices)
        list.push_back(device);
    return list;
}

std::uint64_t RunSeries::recordCount() const
{
    std::uint64_t count = 0;
    for (const auto& [stream, seen] : m_seen)
        count += seen.size();
    return count;
}

void RunSeries::take(const QString& stream, const Record& record)
{
    m_newestNs = std::max(m_newestNs, record.time.wallNs);
    std::visit(Overloaded{
                   [&](const StepRecord& step) { takeStep(record, step); },
                   [&](const DeviceSample& sample) { takeDevice(stream, record, sample); },
                   [&](const EventRecord& event) { takeEvent(stream, record, event); },
                   [&](const StateRecord& state) { takeState(record, state); },
                   [&](const ProgressRecord& progress) { takeProgress(progress); },
                   [&](const PipelineTrace& trace) { takeTrace(record, trace); },
                   [&](const EvaluationRecord& evaluation) { takeEvaluation(record, evaluation); },
                   [&](const DevicesRecord& devices) { takeRankDevices(record, devices); },
                   [&](const ExpertLoad& load) { takeExpertLoad(record, load); },
               },
               record.payload);
}

void RunSeries::takeStep(const Record& record, const StepRecord& step)
{
    const int restarts = m_steps.restarts();
    m_steps.add(step, record.attempt, record.time);
    m_ranks.add(step, record.attempt);
    if (m_steps.restarts() != restarts)
        m_evaluations.dropReplaced(m_steps);
}

void RunSeries::takeEvaluation(const Record& record, const EvaluationRecord& evaluation)
{
    if (!m_steps.isReplaced(evaluation.step, record.attempt))
        m_evaluations.add(evaluation, record.attempt, record.time);
}

void RunSeries::takeEvent(const QString& stream, const Record& record, const EventRecord& event)
{
    std::int64_t& newest = m_newestEventNs.try_emplace(stream, record.time.wallNs).first->second;
    newest = std::max(newest, record.time.wallNs); // keeps the stream's order after a clock was set back
    RunEvent entry{stream, record.sequence, record.attempt, record.time, event, newest};
    const auto place = std::upper_bound(m_events.begin(), m_events.end(), entry, isEarlier);
    m_events.insert(place, std::move(entry));
}

void RunSeries::takeState(const Record& record, const StateRecord& state)
{
    const std::int64_t wall = record.time.wallNs;
    if (m_status.firstNs == 0 || wall < m_status.firstNs)
        m_status.firstNs = wall;
    if (record.sequence < m_stateSequence)
        return;
    m_stateSequence = record.sequence;
    m_status.state = state.state;
    m_status.reason = QString::fromStdString(state.reason);
    m_status.step = state.step;
    m_status.steps = state.steps;
    m_status.attempt = record.attempt;
    m_status.lastNs = wall;
}

void RunSeries::takeDevice(const QString& stream, const Record& record, const DeviceSample& sample)
{
    NodeDevice& device = m_devices[{stream, sample.device}];
    if (record.sequence < device.sequence) // the node's wall clock may have been set back
        return;
    const bool isBusy = sample.utilisation > 0 || device.busyNs == 0;
    const bool isFree = !isSlowedDown(sample.health) || device.freeNs == 0;
    const std::int64_t now = record.time.wallNs;
    device = {stream,
              sample,
              record.time,
              record.sequence,
              isBusy ? now : device.busyNs,
              isFree ? now : device.freeNs};
}

void RunSeries::takeProgress(const ProgressRecord& progress)
{
    const auto known = std::find_if(m_stages.begin(), m_stages.end(),
                                    [&](const ProgressRecord& s) { return s.stage == progress.stage; });
    if (known == m_stages.end())
        m_stages.push_back(progress);
    else
        *known = progress;
}

/// Records that come after a restore are newer than what was restored.
void RunSeries::takeRankDevices(const Record& record, const DevicesRecord& devices)
{
    if (record.sequence < m_rankDevicesSequence)
        return;
    m_rankDevicesSequence = record.sequence;
    m_rankDevices = devices;
}

void RunSeries::takeExpertLoad(const Record& record, const ExpertLoad& load)
{
    if (record.sequence < m_expertLoadSequence)
        return;
    m_expertLoadSequence = record.sequence;
    m_expertLoad = load;
}

void RunSeries::takeTrace(const Record& record, const PipelineTrace& trace)
{
    if (record.sequence < m_traceSequence)
        return;
    m_traceSequence = record.sequence;
    m_trace = trace;
}

} // namespace trainyard
