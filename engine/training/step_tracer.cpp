#include "engine/training/step_tracer.h"

#include <cstring>
#include <string_view>
#include <type_traits>

#include "engine/base/check.h"
#include "engine/training/step_journal.h"

namespace trainyard {

namespace {

constexpr std::int64_t kFirstTraced = 3;
constexpr std::int64_t kTracedEvery = 100;

// All ranks run the same program, so the spans can be sent as bytes.
static_assert(std::is_trivially_copyable_v<TracedSpan>);

std::string_view bytesOf(const std::vector<TracedSpan>& spans)
{
    return {reinterpret_cast<const char*>(spans.data()), spans.size() * sizeof(TracedSpan)};
}

std::vector<TracedSpan> spansIn(const std::string& bytes)
{
    TRAINYARD_CHECK(bytes.size() % sizeof(TracedSpan) == 0);
    std::vector<TracedSpan> spans(bytes.size() / sizeof(TracedSpan));
    if (!spans.empty())
        std::memcpy(spans.data(), bytes.data(), bytes.size());
    return spans;
}

bool isOfFirstReplica(const GridCoord& at)
{
    return at.data == 0 && at.context == 0 && at.tensor == 0;
}

} // namespace

StepTracer::StepTracer(const ProcessGroups& groups, DeviceTimer* timer, int chunks, StepJournal* journal,
                       FlightRecorder* recorder)
    : m_groups(groups)
    , m_isFirstReplica(isOfFirstReplica(groups.coordinates))
    , m_chunks(chunks)
    , m_journal(journal)
    , m_times(timer, recorder)
{
}

bool StepTracer::isTraced(Step step)
{
    return step.value == kFirstTraced || step.value % kTracedEvery == 0;
}

PassTimes* StepTracer::timesOf(Step step)
{
    if (isWritten(step))
        m_times.expect();
    return &m_times;
}

void StepTracer::record(Step step, int microBatches)
{
    if (!isWritten(step))
        return;
    PipelineTrace trace{step.value, m_chunks, microBatches, {}};
    for (const std::string& bytes : m_groups.pipeline->gather(bytesOf(m_times.take())))
        trace.ranks.push_back(spansIn(bytes));
    if (m_journal)
        m_journal->write(trace);
}

} // namespace trainyard
