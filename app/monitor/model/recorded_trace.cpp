#include "app/monitor/model/recorded_trace.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/base/display_text.h"
#include "engine/records/flight_ring.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr qint64 kMaxBytes = qint64{256} << 20;
constexpr int kMaxMicroBatches = 1 << 20;
constexpr double kSecondsPerUs = 1e-6;

Error damaged(const QString& file, const QString& what)
{
    return badInput(file.toStdString() + ": " + what.toStdString(),
                    "open a file written by \"Record steps\" or `trainyard trace`; ui.perfetto.dev opens "
                    "traces of other programs");
}

Result<QJsonArray> readEvents(const QString& file)
{
    QFile source(file);
    if (!source.open(QIODevice::ReadOnly))
        return damaged(file, source.errorString());
    if (source.size() > kMaxBytes)
        return damaged(file, QObject::tr("it is larger than 256 MiB"));
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(source.readAll(), &problem);
    if (document.isNull())
        return damaged(
            file, QObject::tr("not a trace: %1 at byte %2").arg(problem.errorString()).arg(problem.offset));
    if (!document.object().value("traceEvents").isArray())
        return damaged(file, QObject::tr("not a trace: it has no list \"traceEvents\""));
    return document.object().value("traceEvents").toArray();
}

std::optional<TracedWork> workNamed(const QString& name)
{
    for (std::size_t i = 0; i < kTracedWorks; ++i) {
        const auto work = static_cast<TracedWork>(i);
        if (name == toQString(nameOf(work)))
            return work;
    }
    return std::nullopt;
}

/// A pass of a rank in a step; times are relative to the start of the trace.
struct Pass {
    int rank = 0;
    std::int64_t step = 0;
    TracedSpan span;
};

/// Returns nullopt for events that are not passes of a run of ours.
std::optional<Pass> passIn(const QJsonObject& event)
{
    const QJsonObject arguments = event.value("args").toObject();
    const auto work = workNamed(arguments.value("work").toString());
    const double start = event.value("ts").toDouble(NAN) * kSecondsPerUs;
    const double length = event.value("dur").toDouble(NAN) * kSecondsPerUs;
    const Pass pass{event.value("pid").toInt(-1),
                    arguments.value("step").toInteger(),
                    {work.value_or(TracedWork::Forward), arguments.value("micro_batch").toInt(-1),
                     arguments.value("chunk").toInt(-1), start, start + length}};
    const bool isOne = work && pass.rank >= 0 && pass.rank < kMaxRanks && pass.step > 0 &&
                       pass.span.microBatch < kMaxMicroBatches && pass.span.chunk < kMaxRanks &&
                       std::isfinite(start) && length >= 0;
    return isOne ? std::optional(pass) : std::nullopt;
}

void add(const Pass& pass, RecordedTrace& trace)
{
    PipelineTrace& step = trace.steps[pass.step];
    step.step = pass.step;
    step.chunks = std::max(step.chunks, pass.span.chunk + 1);
    step.microBatches = std::max(step.microBatches, pass.span.microBatch + 1);
    if (step.ranks.size() <= std::size_t(pass.rank))
        step.ranks.resize(std::size_t(pass.rank) + 1);
    step.ranks[std::size_t(pass.rank)].push_back(pass.span);
}

/// Sorts the spans by time and makes them relative to the earliest one.
void settle(PipelineTrace& step)
{
    double begin = step.ranks.front().front().start;
    for (std::vector<TracedSpan>& spans : step.ranks) {
        std::ranges::sort(spans, {}, &TracedSpan::start);
        begin = std::min(begin, spans.front().start);
    }
    for (std::vector<TracedSpan>& spans : step.ranks) {
        for (TracedSpan& span : spans) {
            span.start -= begin;
            span.end -= begin;
        }
    }
}

} // namespace

Result<RecordedTrace> readRecordedTrace(const QString& file)
{
    TRAINYARD_TRY(const QJsonArray events, readEvents(file));
    RecordedTrace trace;
    std::map<int, QString> names;
    for (const QJsonValue& value : events) {
        const QJsonObject event = value.toObject();
        if (event.value("name").toString() == QLatin1String("process_name"))
            names[event.value("pid").toInt()] =
                oneLine(event.value("args").toObject().value("name").toString());
        if (event.value("cat").toString() != QLatin1String("pass"))
            continue;
        const auto pass = passIn(event);
        if (!pass)
            return damaged(file, QObject::tr("one of its passes is damaged"));
        add(*pass, trace);
    }
    std::size_t ranks = names.size();
    for (const auto& [number, step] : trace.steps)
        ranks = std::max(ranks, step.ranks.size());
    std::erase_if(trace.steps, [ranks](const auto& step) {
        const auto& rows = step.second.ranks;
        return rows.size() < ranks || std::ranges::any_of(rows, &std::vector<TracedSpan>::empty);
    });
    if (trace.steps.empty())
        return damaged(file, QObject::tr("it has no step with passes of every rank"));
    for (auto& [number, step] : trace.steps)
        settle(step);
    for (int rank = 0; rank < int(ranks); ++rank)
        trace.ranks.append(names.contains(rank) ? names[rank] : QObject::tr("rank %1").arg(rank));
    return trace;
}

} // namespace trainyard
