#include "engine/records/codec.h"

#include <cmath>
#include <concepts>
#include <limits>

#include "engine/records/told_ranks.h"
#include "engine/records/wire.h"

namespace trainyard {

namespace {

template <typename R, typename T>
concept Is = std::same_as<std::remove_const_t<R>, T>;

// The fields of every record, in the order of the file. A wire is an Encoder or a Decoder: with one list for
// both, what is written cannot differ from what is read.

void fields(auto& wire, Is<StepRecord> auto& record)
{
    wire(record.step, record.loss, record.mlmLoss, record.nspLoss, record.learningRate, record.gradientNorm,
         record.stepSeconds, record.sequences, record.tokens, record.consumedSamples, record.lossScale,
         record.skipped);
    wire.ranks(record.ranks);
}

void fields(auto& wire, Is<DeviceHealth> auto& health)
{
    wire(health.uuid, health.memoryCelsius, health.limitWatts, health.clockMhz, health.maxClockMhz,
         health.clockLimits, health.correctedErrors, health.uncorrectedErrors, health.linkSent,
         health.linkReceived, health.linkErrors);
}

void fields(auto& wire, Is<DeviceSample> auto& record)
{
    wire(record.device, record.memoryUsed, record.memoryTotal, record.utilisation, record.diskFree,
         record.celsius, record.watts);
    if (wire.hasMore(record.health != DeviceHealth())) // samples of hosts are as short as ever
        fields(wire, record.health);
}

void fields(auto& wire, Is<EventRecord> auto& record)
{
    wire(record.severity, record.kind, record.message, record.rank, record.step);
}

void fields(auto& wire, Is<StateRecord> auto& record)
{
    wire(record.state, record.reason, record.step, record.steps, record.heartbeat);
}

void fields(auto& wire, Is<ProgressRecord> auto& record)
{
    wire(record.stage, record.done, record.total, record.unit, record.rate, record.secondsLeft,
         record.counters);
}

void fields(auto& wire, Is<TracedSpan> auto& span)
{
    wire(span.work, span.microBatch, span.chunk, span.start, span.end);
}

constexpr std::size_t kSpanBytes = sizeof(TracedWork) + 2 * sizeof(std::int32_t) + 2 * sizeof(double);

void fields(auto& wire, Is<std::vector<TracedSpan>> auto& spans)
{
    wire.list(spans, kSpanBytes);
}

void fields(auto& wire, Is<PipelineTrace> auto& record)
{
    wire(record.step, record.chunks, record.microBatches);
    wire.list(record.ranks, sizeof(std::uint32_t));
}

void fields(auto& wire, Is<TaskMetrics> auto& task)
{
    wire(task.kind, task.f1, task.matthews, task.pearson, task.spearman, task.exactMatch);
}

void fields(auto& wire, Is<EvaluationRecord> auto& record)
{
    wire(record.step, record.loss, record.tokenLoss, record.sequenceLoss, record.tokenAccuracy,
         record.sequenceAccuracy, record.bitsPerByte, record.tokens, record.rows, record.seconds,
         record.best);
    if (wire.hasMore(record.task.isOn())) // records of other runs are as short as ever
        fields(wire, record.task);
}

constexpr std::size_t kRankDeviceBytes = 2 * sizeof(std::uint32_t) + sizeof(Bytes);

void fields(auto& wire, Is<RankDevice> auto& rank)
{
    wire(rank.device, rank.name, rank.memory);
}

void fields(auto& wire, Is<DevicesRecord> auto& record)
{
    wire(record.whyProcessor);
    wire.list(record.ranks, kRankDeviceBytes);
}

void fields(auto& wire, Is<ExpertLoad> auto& record)
{
    wire(record.step, record.experts);
    wire.numbers(record.layers);
    wire.numbers(record.pairs);
}

constexpr std::uint32_t kMaxRanks = 1u << 16; ///< of which a record that tells a few may speak
constexpr std::uint64_t kUnknownCount = std::numeric_limits<std::uint64_t>::max();

class Encoder {
public:
    explicit Encoder(std::string& bytes) : m_out(bytes) {}

    void operator()(const auto&... values) { (put(values), ...); }
    bool hasMore(bool isThere) const { return isThere; }

    template <typename Item>
    void list(const std::vector<Item>& items, std::size_t)
    {
        putCount(items.size());
        for (const Item& item : items)
            fields(*this, item);
    }

    template <typename Number>
    void numbers(const std::vector<Number>& numbers)
    {
        putCount(numbers.size());
        for (const Number number : numbers)
            put(number);
    }

    void ranks(const std::vector<RankStats>& ranks)
    {
        const bool some = tellsSomeRanks(ranks);
        std::vector<std::uint32_t> told;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (!some || isTold(ranks[rank]))
                told.push_back(static_cast<std::uint32_t>(rank));
        }
        putCount(told.size());
        putCount(kMemoryCategories);
        putCount(kStepPhases);
        for (const std::uint32_t rank : told)
            putRank(ranks[rank]);
        putCount(ranks.size());
        for (std::size_t n = 0; some && n < told.size(); ++n)
            put(told[n]);
    }

private:
    void putRank(const RankStats& rank)
    {
        for (const Bytes bytes : rank.peakMemory)
            put(bytes);
        put(rank.peakTotal);
        put(rank.residentSet);
        for (const double seconds : rank.seconds)
            put(seconds);
    }
    void putCount(std::size_t count) { m_out.number(static_cast<std::uint32_t>(count)); }
    void put(auto number) { m_out.number(number); }
    void put(TaskKind task) { m_out.number(static_cast<std::uint8_t>(task)); }
    void put(const std::string& text) { m_out.text(text); }
    void put(const std::optional<int>& rank) { m_out.number(static_cast<std::int32_t>(rank.value_or(-1))); }
    void put(const std::optional<std::uint64_t>& count) { m_out.number(count.value_or(kUnknownCount)); }
    void put(const std::optional<double>& value)
    {
        m_out.number(value.value_or(std::numeric_limits<double>::quiet_NaN()));
    }

    WireWriter m_out;
};

class Decoder {
public:
    explicit Decoder(std::string_view bytes) : m_in(bytes) {}

    bool ok() const { return m_in.ok(); }
    void operator()(auto&... values) { (get(values), ...); }
    bool hasMore(bool) const { return m_in.left() > 0; }

    /// `minBytes`: the size of an empty item.
    template <typename Item>
    void list(std::vector<Item>& items, std::size_t minBytes)
    {
        items.resize(fittingCount(number(), minBytes));
        for (Item& item : items)
            fields(*this, item);
    }

    template <typename Number>
    void numbers(std::vector<Number>& numbers)
    {
        numbers.resize(fittingCount(number(), sizeof(Number)));
        for (Number& value : numbers)
            get(value);
    }

    void ranks(std::vector<RankStats>& ranks)
    {
        const std::uint32_t count = number();
        const std::uint32_t categories = number();
        const std::uint32_t phases = number();
        ranks.resize(
            fittingCount(count, (categories + std::size_t{2}) * sizeof(Bytes) + phases * sizeof(double)));
        for (RankStats& rank : ranks) {
            getSome(rank.peakMemory, categories);
            get(rank.peakTotal);
            get(rank.residentSet);
            getSome(rank.seconds, phases);
        }
        if (m_in.left() > 0) // else of an earlier version
            spread(ranks);
    }

private:
    /// `ranks` are some of a run's: puts each at its place.
    void spread(std::vector<RankStats>& ranks)
    {
        const std::uint32_t all = number();
        if (all == ranks.size())
            return;
        if (all < ranks.size() || all > kMaxRanks)
            return m_in.fail();
        std::vector<RankStats> places(all);
        for (const RankStats& told : ranks) {
            const std::uint32_t rank = number();
            if (rank >= all)
                return m_in.fail();
            places[rank] = told;
        }
        ranks = std::move(places);
    }
    std::uint32_t number() { return m_in.number<std::uint32_t>(); }

    /// `count`, or 0 and a failure when that many items of `size` bytes do not follow: a false count must not
    /// allocate.
    std::uint32_t fittingCount(std::uint32_t count, std::size_t size)
    {
        if (count <= m_in.left() / size)
            return count;
        m_in.fail();
        return 0;
    }

    /// Reads `count` values. A writer of another version may know fewer of them, then the rest keeps its
    /// zero, or more, then those are skipped.
    void getSome(auto& values, std::uint32_t count)
    {
        for (std::uint32_t i = 0; i < count; ++i) {
            typename std::remove_reference_t<decltype(values)>::value_type value{};
            get(value);
            if (i < values.size())
                values[i] = value;
        }
    }

    template <typename Number>
    void get(Number& value)
    {
        value = m_in.number<Number>();
    }
    void get(bool& value)
    {
        value = m_in.number<std::uint8_t>() != 0;
    } // any other byte in a bool is undefined
    void get(std::string& text) { text = m_in.text(); }
    void get(TaskKind& task)
    {
        const auto number = m_in.number<std::uint8_t>();
        task = static_cast<TaskKind>(number);
        if (number > static_cast<std::uint8_t>(TaskKind::Complete))
            m_in.fail();
    }
    void get(TracedWork& work)
    {
        work = m_in.number<TracedWork>();
        if (static_cast<std::size_t>(work) >= kTracedWorks)
            m_in.fail();
    }
    void get(std::optional<int>& rank)
    {
        const auto value = m_in.number<std::int32_t>();
        rank = value < 0 ? std::nullopt : std::optional<int>(value);
    }
    void get(std::optional<std::uint64_t>& count)
    {
        const auto number = m_in.number<std::uint64_t>();
        count = number == kUnknownCount ? std::nullopt : std::optional(number);
    }
    void get(std::optional<double>& value)
    {
        const auto number = m_in.number<double>();
        value = std::isfinite(number) ? std::optional(number) : std::nullopt;
    }

    WireReader m_in;
};

template <std::size_t Index>
std::optional<Payload> decodeAlternative(std::uint8_t type, std::string_view bytes)
{
    if constexpr (Index == std::variant_size_v<Payload>) {
        return std::nullopt;
    } else {
        if (type != Index)
            return decodeAlternative<Index + 1>(type, bytes);
        Decoder in(bytes);
        std::variant_alternative_t<Index, Payload> record;
        fields(in, record);
        return in.ok() ? std::optional<Payload>(std::move(record)) : std::nullopt;
    }
}

} // namespace

std::string encodePayload(const Payload& payload)
{
    std::string bytes;
    Encoder out(bytes);
    std::visit([&](const auto& record) { fields(out, record); }, payload);
    return bytes;
}

std::optional<Payload> decodePayload(std::uint8_t type, std::string_view bytes)
{
    return decodeAlternative<0>(type, bytes);
}

} // namespace trainyard
