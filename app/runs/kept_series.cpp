#include "app/runs/kept_series.h"

#include <fcntl.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/series/series_file.h"
#include "engine/base/hash.h"
#include "engine/records/codec.h"
#include "engine/records/foreign_records.h"

namespace trainyard {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

constexpr std::uint64_t kComparedBytes = 4096;
constexpr std::uint8_t kStepType = 0;
constexpr std::uint8_t kTraceType = 5;

fs::path seriesPath(const QString& folder)
{
    return fs::path(folder.toStdString()) / kSeriesFileName;
}

fs::path journalPath(const QString& folder)
{
    return fs::path(folder.toStdString()) / "journal" / "steps";
}

/// Names the part of a journal that a series file was made from by its last bytes, which hold a sequence
/// number, two times and a checksum; empty when the journal is shorter.
std::string endOf(const fs::path& journal, std::uint64_t bytes)
{
    const FileDescriptor file(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
    const std::uint64_t compared = std::min(bytes, kComparedBytes);
    std::string content(compared, '\0');
    const ssize_t got = ::pread(file.get(), content.data(), compared, static_cast<off_t>(bytes - compared));
    return got == static_cast<ssize_t>(compared) ? xxh3Hex(content) : std::string();
}

Json binary(const std::string& bytes)
{
    return Json::binary(std::vector<std::uint8_t>(bytes.begin(), bytes.end()));
}

template <typename Kind>
Kind decoded(std::uint8_t type, const Json& json)
{
    const auto& bytes = json.get_binary();
    const auto payload = decodePayload(type, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    return payload ? std::get<Kind>(*payload) : Kind();
}

Json encoded(const std::vector<RankFigures>& figures)
{
    StepRecord record;
    record.ranks = figures;
    return binary(encodePayload(record));
}

Json toJson(const RankTable& table)
{
    std::vector<RankFigures> latest;
    std::vector<RankFigures> usual; // of which only the seconds
    std::vector<RankFigures> peak;
    Json peakSteps = Json::array();
    for (const RankSummary& rank : table.ranks()) {
        latest.push_back(rank.latest);
        usual.push_back({.seconds = rank.usual});
        peak.push_back(rank.peak);
        peakSteps.push_back(rank.peakStep);
    }
    return {{"attempt", table.latestAttempt()}, {"step", table.latestStep()}, {"latest", encoded(latest)},
            {"usual", encoded(usual)},          {"peak", encoded(peak)},      {"peak_steps", peakSteps},
            {"compute", table.newestCompute()}};
}

RankTable ranksFrom(const Json& json)
{
    const auto latest = decoded<StepRecord>(kStepType, json.at("latest")).ranks;
    const auto usual = decoded<StepRecord>(kStepType, json.at("usual")).ranks;
    const auto peak = decoded<StepRecord>(kStepType, json.at("peak")).ranks;
    std::vector<RankSummary> ranks;
    for (std::size_t rank = 0; rank < std::min({latest.size(), usual.size(), peak.size()}); ++rank)
        ranks.push_back({latest[rank], usual[rank].seconds, peak[rank],
                         json.at("peak_steps").at(rank).get<std::int64_t>()});
    return RankTable(std::move(ranks), json.value("compute", NewestCompute()),
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

/// What the columns do not hold, as CBOR.
std::string noteOf(const StepStream& stream, const JournalEnd& journal, const std::string& journalEnd)
{
    Json note{{"journal_bytes", journal.validBytes},
              {"journal_records", journal.lastSequence},
              {"journal_end", journalEnd},
              {"newest_ns", stream.newestNs},
              {"attempts", toJson(stream.steps.attempts())},
              {"ranks", toJson(stream.ranks)}};
    if (stream.trace) {
        note["trace"] = binary(encodePayload(*stream.trace));
        note["trace_record"] = stream.traceSequence;
    }
    std::string bytes;
    Json::to_cbor(note, bytes);
    return bytes;
}

Status takeNote(const std::string& bytes, const QString& folder, KeptSeries& kept,
                std::vector<RunAttempt>& attempts)
{
    const fs::path journal = journalPath(folder);
    const Json note = Json::from_cbor(bytes, true, false);
    try {
        kept.journal = {note.at("journal_bytes").get<std::uint64_t>(),
                        note.at("journal_records").get<std::uint64_t>(),
                        {}};
        if (endOf(journal, kept.journal.validBytes) != note.at("journal_end").get<std::string>())
            return badInput(journal.string() + ": another journal than the kept series were made from");
        kept.stream.newestNs = note.at("newest_ns").get<std::int64_t>();
        kept.stream.lastSequence = kept.journal.lastSequence;
        kept.stream.ranks = ranksFrom(note.at("ranks"));
        if (note.contains("trace")) {
            kept.stream.trace = decoded<PipelineTrace>(kTraceType, note.at("trace"));
            kept.stream.traceSequence = note.at("trace_record").get<std::uint64_t>();
        }
        attempts = attemptsFrom(note.at("attempts"));
    } catch (const Json::exception&) {
        return badInput(seriesPath(folder).string() + ": its note on the journal is damaged");
    }
    return {};
}

Status write(SeriesWriter& writer, const StepStream& stream, const std::string& note)
{
    const SeriesTable steps = stream.steps.toSeries();
    TRAINYARD_TRY(const int table, writer.addTable(steps.name, steps.names));
    TRAINYARD_TRY_STATUS(writer.appendRest(table, steps.values));
    return writer.commit(note);
}

} // namespace

Result<KeptSeries> readKeptSeries(const QString& folder)
{
    TRAINYARD_TRY(SeriesFile file, SeriesFile::open(seriesPath(folder)));
    KeptSeries kept;
    std::vector<RunAttempt> attempts;
    TRAINYARD_TRY_STATUS(takeNote(file.note(), folder, kept, attempts));
    const SeriesTable* steps = file.table(kStepsTable);
    if (!steps)
        return badInput(seriesPath(folder).string() + ": no steps in it");
    TRAINYARD_TRY(kept.stream.steps, StepTable::fromSeries(*steps, attempts));
    return kept;
}

Status keepSeries(const QString& folder)
{
    const fs::path file = seriesPath(folder);
    const bool intact = SeriesFile::verify(file).ok();
    const auto kept = readKeptSeries(folder);
    const bool goesOn = intact && kept.ok();
    RunSeries series;
    if (goesOn)
        series.restore(kept->stream);
    const auto take = [&](std::vector<Record> records) {
        makeHarmless(records);
        series.apply(QStringLiteral("steps"), records);
    };
    TRAINYARD_TRY(const JournalEnd end,
                  scanJournal(journalPath(folder), take, goesOn ? kept->journal : JournalEnd()));
    const StepStream stream = series.stepStream();
    if (stream.steps.size() < kMinKeptSteps)
        return {};
    const std::string note = noteOf(stream, end, endOf(journalPath(folder), end.validBytes));
    if (goesOn && stream.steps.rewrites() == 0) {
        TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(file));
        return write(writer, stream, note);
    }
    return publishAtomically(file, [&](const fs::path& temporary) -> Status {
        TRAINYARD_TRY(SeriesWriter writer, SeriesWriter::open(temporary));
        return write(writer, stream, note);
    });
}

Result<bool> mendSeries(const QString& folder)
{
    const fs::path file = seriesPath(folder);
    std::error_code isThere;
    if (!fs::exists(file, isThere) || SeriesFile::verify(file).ok())
        return false;
    TRAINYARD_TRY_STATUS(keepSeries(folder));
    return true;
}

} // namespace trainyard
