#include "engine/records/untrusted_records.h"

#include <algorithm>
#include <functional>

#include "engine/base/untrusted_text.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

void clean(std::string& text)
{
    text = sanitizeText(text, Lines::Many, kShownTextBytes);
}

constexpr double kMaxSeconds = 1e9; // what is longer is a lie, and would not fit where it is shown

void cleanPayload(StepRecord& step)
{
    if (!(step.stepSeconds >= 0 && step.stepSeconds <= kMaxSeconds))
        step.stepSeconds = 0;
}

void cleanPayload(DeviceSample& sample)
{
    clean(sample.health.uuid);
}

void cleanPayload(DevicesRecord& devices)
{
    clean(devices.whyProcessor);
    for (RankDevice& rank : devices.ranks) {
        clean(rank.device);
        clean(rank.name);
    }
}

/// What lies outside of the shape that the trace names, or has no duration, cannot be drawn.
void cleanPayload(PipelineTrace& trace)
{
    const auto cannotBe = [&trace](const TracedSpan& span) {
        return !(span.start >= 0 && span.start <= span.end && span.end <= kMaxSeconds) ||
               span.microBatch < -1 || span.microBatch >= trace.microBatches || span.chunk < -1 ||
               span.chunk >= trace.chunks;
    };
    for (auto& spans : trace.ranks)
        std::erase_if(spans, cannotBe);
}

/// What does not have the shape that it names cannot be drawn.
void cleanPayload(ExpertLoad& load)
{
    const bool areLayers =
        std::ranges::adjacent_find(load.layers, std::greater_equal<>()) == load.layers.end() &&
        std::ranges::all_of(load.layers, [](int layer) { return layer >= 0 && layer < kMaxLayers; });
    const bool fits = load.experts > 0 && load.experts <= kMaxExperts && areLayers &&
                      load.pairs.size() == load.layers.size() * static_cast<std::size_t>(load.experts);
    if (!fits)
        load = {.step = load.step, .layers = {}, .pairs = {}};
}

void cleanPayload(EvaluationRecord& evaluation)
{
    if (!(evaluation.seconds >= 0 && evaluation.seconds <= kMaxSeconds))
        evaluation.seconds = 0;
}

void cleanPayload(EventRecord& event)
{
    clean(event.kind);
    clean(event.message);
}

void cleanPayload(StateRecord& state)
{
    clean(state.reason);
}

void cleanPayload(ProgressRecord& progress)
{
    clean(progress.stage);
    clean(progress.unit);
    clean(progress.counters);
    if (!(progress.secondsLeft <= kMaxSeconds))
        progress.secondsLeft = -1;
}

} // namespace

void sanitizeRecords(std::vector<Record>& records)
{
    for (Record& record : records)
        std::visit([](auto& payload) { cleanPayload(payload); }, record.payload);
}

} // namespace trainyard
