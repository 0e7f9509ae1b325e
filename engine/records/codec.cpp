#include "engine/records/codec.h"

#include <cmath>
#include <limits>

#include "engine/records/wire.h"

namespace trainyard {

namespace {

/// How many of `size` bytes follow; 0 and a failure when there is no room for them: a lie about the size must
/// not allocate.
std::uint32_t readCount(WireReader& in, std::size_t size)
{
    const auto count = in.number<std::uint32_t>();
    if (count <= in.left() / size)
        return count;
    in.fail();
    return 0;
}

// A rank's block of a step record has so many; those that came later follow behind all blocks.
constexpr std::size_t kFirstMemoryCategories = 7;
constexpr std::size_t kFirstPhases = 6;

void write(WireWriter& out, const RankStats& rank)
{
    for (std::size_t i = 0; i < kFirstMemoryCategories; ++i)
        out.number(rank.peakMemory[i]);
    out.number(rank.peakTotal);
    out.number(rank.residentSet);
    for (std::size_t i = 0; i < kFirstPhases; ++i)
        out.number(rank.seconds[i]);
}

RankStats readRank(WireReader& in)
{
    RankStats rank;
    for (std::size_t i = 0; i < kFirstMemoryCategories; ++i)
        rank.peakMemory[i] = in.number<Bytes>();
    rank.peakTotal = in.number<Bytes>();
    rank.residentSet = in.number<Bytes>();
    for (std::size_t i = 0; i < kFirstPhases; ++i)
        rank.seconds[i] = in.number<double>();
    return rank;
}

constexpr std::size_t kRankBytes =
    (kFirstMemoryCategories + 2) * sizeof(Bytes) + kFirstPhases * sizeof(double);

void write(WireWriter& out, const StepRecord& record)
{
    out.number(record.step);
    out.number(record.loss);
    out.number(record.mlmLoss);
    out.number(record.nspLoss);
    out.number(record.learningRate);
    out.number(record.gradientNorm);
    out.number(record.stepSeconds);
    out.number(record.sequences);
    out.number(record.tokens);
    out.number(record.consumedSamples);
    out.number(static_cast<std::uint32_t>(record.ranks.size()));
    for (const RankStats& rank : record.ranks)
        write(out, rank);
    out.number(record.lossScale);
    out.number(static_cast<std::uint8_t>(record.skipped));
    for (std::size_t category = kFirstMemoryCategories; category < kMemoryCategories; ++category) {
        for (const RankStats& rank : record.ranks)
            out.number(rank.peakMemory[category]);
    }
    for (std::size_t phase = kFirstPhases; phase < kStepPhases; ++phase) {
        for (const RankStats& rank : record.ranks)
            out.number(rank.seconds[phase]);
    }
}

void read(WireReader& in, StepRecord& record)
{
    record.step = in.number<std::int64_t>();
    record.loss = in.number<double>();
    record.mlmLoss = in.number<double>();
    record.nspLoss = in.number<double>();
    record.learningRate = in.number<double>();
    record.gradientNorm = in.number<double>();
    record.stepSeconds = in.number<double>();
    record.sequences = in.number<std::int64_t>();
    record.tokens = in.number<std::int64_t>();
    record.consumedSamples = in.number<std::int64_t>();
    const std::uint32_t count = readCount(in, kRankBytes);
    record.ranks.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i)
        record.ranks.push_back(readRank(in));
    if (in.left() == 0)
        return; // written before there was loss scaling
    record.lossScale = in.number<double>();
    record.skipped = in.number<std::uint8_t>() != 0;
    for (std::size_t category = kFirstMemoryCategories; category < kMemoryCategories; ++category) {
        for (std::size_t i = 0; i < count && in.left() >= sizeof(Bytes); ++i) // an older version wrote none
            record.ranks[i].peakMemory[category] = in.number<Bytes>();
    }
    for (std::size_t phase = kFirstPhases; phase < kStepPhases; ++phase) {
        for (std::size_t i = 0; i < count && in.left() >= sizeof(double); ++i)
            record.ranks[i].seconds[phase] = in.number<double>();
    }
}

void writeMaybe(WireWriter& out, const std::optional<double>& value)
{
    out.number(value.value_or(std::numeric_limits<double>::quiet_NaN()));
}

/// An older version wrote none.
std::optional<double> readMaybe(WireReader& in)
{
    const double value = in.left() == 0 ? std::numeric_limits<double>::quiet_NaN() : in.number<double>();
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

void write(WireWriter& out, const DeviceSample& record)
{
    out.number(static_cast<std::int32_t>(record.device));
    out.number(record.memoryUsed);
    out.number(record.memoryTotal);
    out.number(record.utilisation);
    out.number(record.diskFree);
    writeMaybe(out, record.celsius);
    writeMaybe(out, record.watts);
}

void read(WireReader& in, DeviceSample& record)
{
    record.device = in.number<std::int32_t>();
    record.memoryUsed = in.number<Bytes>();
    record.memoryTotal = in.number<Bytes>();
    record.utilisation = in.number<double>();
    record.diskFree = in.number<Bytes>();
    record.celsius = readMaybe(in);
    record.watts = readMaybe(in);
}

void write(WireWriter& out, const EventRecord& record)
{
    out.number(record.severity);
    out.text(record.kind);
    out.text(record.message);
    out.number(static_cast<std::int32_t>(record.rank.value_or(-1)));
    out.number(record.step);
}

void read(WireReader& in, EventRecord& record)
{
    record.severity = in.number<Severity>();
    record.kind = in.text();
    record.message = in.text();
    const auto rank = in.number<std::int32_t>();
    record.rank = rank < 0 ? std::nullopt : std::optional<int>(rank);
    record.step = in.number<std::int64_t>();
}

void write(WireWriter& out, const StateRecord& record)
{
    out.number(record.state);
    out.text(record.reason);
    out.number(record.step);
    out.number(record.steps);
    out.number(static_cast<std::uint8_t>(record.heartbeat));
}

void read(WireReader& in, StateRecord& record)
{
    record.state = in.number<RunState>();
    record.reason = in.text();
    record.step = in.number<std::int64_t>();
    record.steps = in.number<std::int64_t>();
    record.heartbeat = in.number<std::uint8_t>() != 0;
}

void write(WireWriter& out, const ProgressRecord& record)
{
    out.text(record.stage);
    out.number(record.done);
    out.number(record.total);
    out.text(record.unit);
    out.number(record.rate);
    out.number(record.secondsLeft);
    out.text(record.counters);
}

void read(WireReader& in, ProgressRecord& record)
{
    record.stage = in.text();
    record.done = in.number<std::uint64_t>();
    record.total = in.number<std::uint64_t>();
    record.unit = in.text();
    record.rate = in.number<double>();
    record.secondsLeft = in.number<double>();
    record.counters = in.text();
}

void write(WireWriter& out, const TracedSpan& span)
{
    out.number(span.work);
    out.number(span.microBatch);
    out.number(span.chunk);
    out.number(span.start);
    out.number(span.end);
}

TracedSpan readSpan(WireReader& in)
{
    TracedSpan span;
    span.work = in.number<TracedWork>();
    if (static_cast<std::size_t>(span.work) >= kTracedWorks)
        in.fail();
    span.microBatch = in.number<std::int32_t>();
    span.chunk = in.number<std::int32_t>();
    span.start = in.number<double>();
    span.end = in.number<double>();
    return span;
}

constexpr std::size_t kSpanBytes = sizeof(TracedWork) + 2 * sizeof(std::int32_t) + 2 * sizeof(double);

void write(WireWriter& out, const PipelineTrace& record)
{
    out.number(record.step);
    out.number(record.chunks);
    out.number(record.microBatches);
    out.number(static_cast<std::uint32_t>(record.ranks.size()));
    for (const auto& spans : record.ranks) {
        out.number(static_cast<std::uint32_t>(spans.size()));
        for (const TracedSpan& span : spans)
            write(out, span);
    }
}

void read(WireReader& in, PipelineTrace& record)
{
    record.step = in.number<std::int64_t>();
    record.chunks = in.number<std::int32_t>();
    record.microBatches = in.number<std::int32_t>();
    record.ranks.resize(readCount(in, sizeof(std::uint32_t)));
    for (auto& spans : record.ranks) {
        const std::uint32_t count = readCount(in, kSpanBytes);
        spans.reserve(count);
        for (std::uint32_t i = 0; i < count; ++i)
            spans.push_back(readSpan(in));
    }
}

template <std::size_t Index>
std::optional<Payload> decodeAlternative(std::uint8_t type, std::string_view bytes)
{
    if constexpr (Index == std::variant_size_v<Payload>) {
        return std::nullopt;
    } else {
        if (type != Index)
            return decodeAlternative<Index + 1>(type, bytes);
        WireReader in(bytes);
        std::variant_alternative_t<Index, Payload> record;
        read(in, record);
        return in.ok() ? std::optional<Payload>(std::move(record)) : std::nullopt;
    }
}

} // namespace

std::string encodePayload(const Payload& payload)
{
    std::string bytes;
    WireWriter out(bytes);
    std::visit([&](const auto& record) { write(out, record); }, payload);
    return bytes;
}

std::optional<Payload> decodePayload(std::uint8_t type, std::string_view bytes)
{
    return decodeAlternative<0>(type, bytes);
}

} // namespace trainyard
