#include "app/runs/recorded_run.h"

#include <algorithm>

#include <QDir>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/series_cache.h"
#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/records/journal.h"
#include "engine/records/untrusted_records.h"
#include "engine/spec/elastic.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "remote/target/desk_file.h"

namespace trainyard {

namespace {

using nlohmann::json;

/// Removes the slots of absent hosts from `spec`. `nodes` and `away` are those of the request, in the order
/// of `spec`.
void takeSlotsOfAwayHosts(RunSpec& spec, const json& nodes, const std::vector<std::string>& away)
{
    for (std::size_t node = 0; node < std::min(spec.cluster.nodes.size(), nodes.size()); ++node) {
        if (std::ranges::count(away, nodes[node].at("host").get<std::string>()) > 0)
            spec.cluster.nodes[node].slotCount = 0;
    }
}

/// `request`: the text of attempts/NNNN.json (remote/agent/supervise/launch_request.h). BadInput when it is
/// not a request, or when its layout does not fit `launched`.
Result<RunSpec> specOfRequest(const RunSpec& launched, std::string_view request)
try {
    const json document = json::parse(request);
    TRAINYARD_TRY(RunSpec spec, specOfAttempt(launched, document.value("layout", std::string()),
                                              document.value("replicas", 0)));
    takeSlotsOfAwayHosts(spec, document.at("nodes"), document.value("away", std::vector<std::string>()));
    return spec;
} catch (const json::exception& error) {
    return badInput("not a launch request: " + jsonProblem(error, request),
                    "remove the file, or fetch it again from the run's host");
}

/// Returns 0 if there is none.
std::uint32_t newestAttempt(const QDir& attempts)
{
    static const QRegularExpression form(QStringLiteral("^(\\d{4,9})\\.json$"));
    std::uint32_t newest = 0;
    for (const QString& file : attempts.entryList(QDir::Files))
        newest = std::max(newest, form.match(file).captured(1).toUInt());
    return newest;
}

/// Returns the specification of the newest attempt whose request is in the run's folder; nullopt if that is
/// the first. BadInput naming the damaged file.
Result<std::optional<AttemptSpec>> newestAttemptSpec(const QString& folder, const RunSpec& launched)
{
    const QDir attempts(folder + QStringLiteral("/attempts"));
    const std::uint32_t attempt = newestAttempt(attempts);
    if (attempt < 2)
        return std::optional<AttemptSpec>();
    const std::string file =
        attempts.filePath(QStringLiteral("%1.json").arg(attempt, 4, 10, QLatin1Char('0'))).toStdString();
    TRAINYARD_TRY(const std::string text, readFile(file));
    auto spec = specOfRequest(launched, text);
    if (!spec.ok())
        return spec.error().in(file);
    return std::optional(AttemptSpec{attempt, std::move(spec).value()});
}

std::filesystem::path pathOf(const QString& folder, const char* file)
{
    return std::filesystem::path(folder.toStdString()) / file;
}

Status readSpec(RunFacts& facts)
{
    const auto path = pathOf(facts.folder, "spec.json");
    TRAINYARD_TRY(const auto text, deskFileText(path));
    if (!text)
        return {};
    ParsedSpec parsed = parseSpec(*text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(path.string());
    facts.specText = QString::fromStdString(*text);
    facts.spec = std::move(parsed.spec);
    for (const NodeSpec& node : facts.spec->cluster.nodes)
        facts.hosts.append(QString::fromStdString(node.host));
    TRAINYARD_TRY(facts.attempt, newestAttemptSpec(facts.folder, *facts.spec));
    return {};
}

Result<QJsonObject> readJsonObject(const std::filesystem::path& path)
{
    TRAINYARD_TRY(const auto text, deskFileText(path));
    if (!text)
        return QJsonObject{};
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(*text), &problem);
    if (!document.isObject()) {
        const QString why = document.isNull() ? ": " + problem.errorString() : QString();
        return badInput(path.string() + " contains no JSON object" + why.toStdString(),
                        "remove the file, or fetch it again from the run's host");
    }
    return document.object();
}

/// Returns the manifest as it was at the launch; if none was recorded, that of the data set on this machine
/// now.
std::optional<DataSetManifest> dataSetOf(const RunFacts& facts, int phase)
{
    const auto kept = std::filesystem::path(facts.folder.toStdString()) / keptManifestName(phase);
    const auto text = readFile(kept);
    const std::string folder = specOfPhase(*facts.spec, phase).dataset.first();
    const auto manifest = text.ok() ? parseDataSetManifest(*text, kept.string())
                                    : readDataSetManifest(QString::fromStdString(folder));
    return manifest.ok() ? std::optional(*manifest) : std::nullopt;
}

void readDataSets(RunFacts& facts)
{
    if (!facts.spec)
        return;
    facts.dataSet = dataSetOf(facts, 0);
    for (int phase = 1; phase < phaseCount(*facts.spec); ++phase)
        facts.laterDataSets.push_back(dataSetOf(facts, phase));
}

const QString kSteps = QStringLiteral("steps");

/// Reads in pieces, because the journal of a long run is larger than the series in memory.
Status readStream(const QString& file, const QString& stream, RunSeries& series, const JournalEnd& from)
{
    const auto take = [&](std::vector<Record> records) {
        sanitizeRecords(records);
        series.apply(stream, records);
    };
    TRAINYARD_TRY(const JournalEnd end, scanJournal(file.toStdString(), take, from));
    if (end.damage && end.lastSequence == 0)
        return end.damage->in(file.toStdString());
    if (stream == kSteps)
        series.setStepsEnd(end);
    return {};
}

/// Returns where reading the journal of steps continues; without a cache, or with a damaged one, at its
/// start.
JournalEnd restoreCachedSteps(const QString& folder, RunSeries& series)
{
    auto cached = readSeriesCache(folder);
    if (!cached.ok())
        return {};
    const JournalEnd end = cached->journal;
    series.restore(std::move(*cached));
    return end;
}

QStringList textsIn(const QJsonArray& list)
{
    QStringList texts;
    for (const QJsonValue& text : list)
        texts.append(text.toString());
    return texts;
}

Status readHosts(RunFacts& facts)
{
    TRAINYARD_TRY(const QJsonObject desk, readJsonObject(pathOf(facts.folder, "host.json")));
    facts.readOnly = desk.value("read_only").toBool();
    const QJsonArray hosts = desk.value("hosts").toArray();
    if (!hosts.isEmpty())
        facts.hosts = textsIn(hosts);
    facts.streamHosts = textsIn(desk.value("stream_hosts").toArray());
    return {};
}

} // namespace

QString RunFacts::name() const
{
    if (spec)
        return QString::fromStdString(spec->name);
    return import ? import->name : nameFromRunId(id);
}

Status readAttemptAgain(RunFacts& facts)
{
    if (!facts.spec)
        return {};
    TRAINYARD_TRY(facts.attempt, newestAttemptSpec(facts.folder, *facts.spec));
    return readHosts(facts);
}

QString nameFromRunId(const QString& id)
{
    static const QRegularExpression form(QStringLiteral("^\\d{8}T\\d{6}Z-(.+)-[0-9a-f]{4}$"));
    const auto match = form.match(id);
    return match.hasMatch() ? match.captured(1) : id;
}

Result<RunFacts> readRunFacts(const QString& folder)
{
    const QFileInfo info(folder);
    if (!info.isDir())
        return badInput(folder.toStdString() + ": no such run folder", "name the folder of a run");
    RunFacts facts;
    facts.folder = info.absoluteFilePath();
    facts.id = QFileInfo(QDir::cleanPath(facts.folder)).fileName();
    TRAINYARD_TRY_STATUS(readSpec(facts));
    readDataSets(facts);
    TRAINYARD_TRY_STATUS(readHosts(facts));
    TRAINYARD_TRY(facts.inventory, readJsonObject(pathOf(facts.folder, "inventory.json")));
    if (isImportedRun(facts.folder.toStdString())) {
        TRAINYARD_TRY(facts.import, readRunImport(facts.folder.toStdString()));
        return facts;
    }
    if (!facts.spec && !QFileInfo(facts.folder + "/journal").isDir())
        return badInput(folder.toStdString() + ": this is not a run folder (neither spec.json nor journal/)",
                        "name the folder of a run");
    return facts;
}

Result<RunSeries> readRunSeries(const QString& folder)
{
    RunSeries series;
    const JournalEnd cachedSteps = restoreCachedSteps(folder, series);
    // Streams have plain names, unlike hidden and other files (the ".orig" copies of the mirror).
    static const QRegularExpression streamName(QStringLiteral("^[a-z]+(-\\d+)?$"));
    const QDir journals(folder + "/journal");
    for (const QString& stream : journals.entryList(QDir::Files, QDir::Name)) {
        if (!streamName.match(stream).hasMatch())
            continue;
        TRAINYARD_TRY_STATUS(readStream(journals.filePath(stream), stream, series,
                                        stream == kSteps ? cachedSteps : JournalEnd()));
    }
    return series;
}

Status readStepsAgain(const QString& folder, RunSeries& series)
{
    series.forget(kSteps);
    const JournalEnd cached = restoreCachedSteps(folder, series);
    return readStream(folder + QStringLiteral("/journal/steps"), kSteps, series, cached);
}

Result<RecordedRun> readRunFolder(const QString& folder)
{
    TRAINYARD_TRY(RunFacts facts, readRunFacts(folder));
    if (facts.import) {
        RunSeries steps = stepsOf(*facts.import);
        return RecordedRun{std::move(facts), std::move(steps)};
    }
    TRAINYARD_TRY(RunSeries series, readRunSeries(folder));
    return RecordedRun{std::move(facts), std::move(series)};
}

} // namespace trainyard
