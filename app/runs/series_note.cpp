#include "app/runs/series_note.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/records/codec.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kComparedBytes = 4096;
constexpr std::uint8_t kTraceType = 5;
constexpr std::uint8_t kDevicesType = 7;
constexpr std::uint8_t kExpertLoadType = 8;

/// The last bytes of that part of the journal identify it: they contain a sequence number, two times and a
/// checksum.
Result<std::string> hashOfEnd(const fs::path& journal, std::uint64_t bytes)
{
    const FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    const std::uint64_t compared = std::min(bytes, kComparedBytes);
    std::string content(compared, '\0');
    const ssize_t got = ::pread(file.get(), content.data(), compared, static_cast<off_t>(bytes - compared));
    if (got != static_cast<ssize_t>(compared))
        return failed(journal.string() + ": shorter than the steps that were read from it");
    return xxh3Hex(content);
}

template <std::size_t N, typename Number>
void take(const Json& json, std::array<Number, N>& numbers)
{
    for (std::size_t i = 0; i < N; ++i)
        numbers[i] = json.at(i).get<Number>();
}

Json toJson(const RankStats& rank)
{
    return {{"peak", rank.peakTotal},
            {"by_category", rank.peakMemory},
            {"resident", rank.residentSet},
            {"seconds", rank.seconds}};
}

RankStats figuresFrom(const Json& json)
{
    RankStats rank;
    rank.peakTotal = json.at("peak").get<Bytes>();
    rank.residentSet = json.at("resident").get<Bytes>();
    take(json.at("by_category"), rank.peakMemory);
    take(json.at("seconds"), rank.seconds);
    return rank;
}

Json toJson(const RankSummary& rank)
{
    return {{"latest", toJson(rank.latest)},
            {"usual_seconds", rank.usual},
            {"fullest", toJson(rank.peak)},
            {"fullest_step", rank.peakStep}};
}

RankSummary summaryFrom(const Json& json)
{
    RankSummary rank{figuresFrom(json.at("latest")),
                     {},
                     figuresFrom(json.at("fullest")),
                     json.at("fullest_step").get<std::int64_t>()};
    take(json.at("usual_seconds"), rank.usual);
    return rank;
}

Json toJson(const RankTable& table)
{
    Json ranks = Json::array();
    for (const RankSummary& rank : table.ranks())
        ranks.push_back(toJson(rank));
    return {{"attempt", table.latestAttempt()},
            {"step", table.latestStep()},
            {"ranks", std::move(ranks)},
            {"compute", table.newestCompute()}};
}

RankTable ranksFrom(const Json& json)
{
    std::vector<RankSummary> ranks;
    for (const Json& rank : json.at("ranks"))
        ranks.push_back(summaryFrom(rank));
    return RankTable(std::move(ranks), json.at("compute").get<NewestCompute>(),
                     json.at("attempt").get<std::uint32_t>(), json.at("step").get<std::int64_t>());
}

Json toJson(const std::vector<RunAttempt>& attempts)
{
    Json list = Json::array();
    for (const RunAttempt& a : attempts)
        list.push_back({a.number, a.firstStep, a.lastStep, a.startedNs, a.endedNs});
    return list;
}

std::vector<RunAttempt> attemptsFrom(const Json& json)
{
    std::vector<RunAttempt> attempts;
    for (const Json& a : json)
        attempts.push_back({a.at(0).get<std::uint32_t>(), a.at(1).get<std::int64_t>(),
                            a.at(2).get<std::int64_t>(), a.at(3).get<std::int64_t>(),
                            a.at(4).get<std::int64_t>()});
    return attempts;
}

Json binaryOf(const Payload& payload)
{
    const std::string bytes = encodePayload(payload);
    return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

template <typename Kind>
Kind payloadFrom(const Json& json, std::uint8_t type)
{
    const auto& bytes = json.get_binary();
    const auto payload = decodePayload(type, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return payload ? std::get<Kind>(*payload) : Kind();
}

/// Throws Json::exception if the note has another version.
SeriesNote noteFrom(const Json& json)
{
    SeriesNote note;
    note.stream.journal = {
        json.at("journal_bytes").get<std::uint64_t>(), json.at("journal_records").get<std::uint64_t>(), {}};
    note.stream.newestNs = json.at("newest_ns").get<std::int64_t>();
    note.stream.ranks = ranksFrom(json.at("ranks"));
    if (json.contains("trace")) {
        note.stream.trace = payloadFrom<PipelineTrace>(json.at("trace"), kTraceType);
        note.stream.traceSequence = json.at("trace_record").get<std::uint64_t>();
    }
    if (json.contains("expert_load")) {
        note.stream.expertLoad = payloadFrom<ExpertLoad>(json.at("expert_load"), kExpertLoadType);
        note.stream.expertLoadSequence = json.at("expert_load_record").get<std::uint64_t>();
    }
    if (json.contains("devices"))
        note.stream.rankDevices = payloadFrom<DevicesRecord>(json.at("devices"), kDevicesType);
    note.attempts = attemptsFrom(json.at("attempts"));
    note.evaluations = json.at("evaluations").get<qsizetype>();
    return note;
}

} // namespace

Result<std::string> seriesNote(const StepStream& stream, const fs::path& journal)
{
    TRAINYARD_TRY(const std::string end, hashOfEnd(journal, stream.journal.validBytes));
    Json note{{"journal_bytes", stream.journal.validBytes},
              {"journal_records", stream.journal.lastSequence},
              {"journal_end", end},
              {"newest_ns", stream.newestNs},
              {"attempts", toJson(stream.steps.attempts())},
              {"evaluations", stream.evaluations.size()},
              {"ranks", toJson(stream.ranks)}};
    if (stream.trace) {
        note["trace"] = binaryOf(*stream.trace);
        note["trace_record"] = stream.traceSequence;
    }
    if (stream.expertLoad) {
        note["expert_load"] = binaryOf(*stream.expertLoad);
        note["expert_load_record"] = stream.expertLoadSequence;
    }
    if (stream.rankDevices != DevicesRecord())
        note["devices"] = binaryOf(stream.rankDevices);
    std::string bytes;
    Json::to_cbor(note, bytes);
    return bytes;
}

Result<SeriesNote> readSeriesNote(const std::string& bytes, const fs::path& journal)
{
    const Json json = Json::from_cbor(bytes, true, false);
    SeriesNote note;
    std::string end;
    try {
        note = noteFrom(json);
        end = json.at("journal_end").get<std::string>();
    } catch (const Json::exception&) {
        return badInput("its note on the journal is damaged");
    }
    TRAINYARD_TRY(const std::string actual, hashOfEnd(journal, note.stream.journal.validBytes));
    if (actual != end)
        return badInput("it was made from another journal than " + journal.string());
    return note;
}

} // namespace trainyard
