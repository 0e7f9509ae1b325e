#include "remote/launch/desk_run.h"

#include <algorithm>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRandomGenerator>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

fs::path fileOf(const QString& id)
{
    return runDir(id) / "host.json";
}

QStringList textsIn(const QJsonValue& list)
{
    QStringList texts;
    for (const auto& text : list.toArray())
        texts << text.toString();
    return texts;
}

QJsonObject toJson(const DeskRun& run)
{
    return {{"run", run.id},
            {"name", run.name},
            {"kind", nameOf(run.kind)},
            {"hosts", QJsonArray::fromStringList(run.hosts)},
            {"stream_hosts", QJsonArray::fromStringList(run.allHosts())},
            {"bundle", run.bundle},
            {"attempt", qint64{run.attempt}},
            {"read_only", run.access == RunAccess::ReadOnly},
            {"created_ns", qint64{run.createdNs}}};
}

DeskRun fromJson(const QString& id, const QJsonObject& json)
{
    DeskRun run;
    run.id = id;
    run.name = json.value("name").toString();
    run.kind = runKindFrom(json.value("kind").toString());
    run.hosts = textsIn(json.value("hosts"));
    run.streamHosts = textsIn(json.value("stream_hosts"));
    run.bundle = json.value("bundle").toString();
    run.attempt = static_cast<std::uint32_t>(json.value("attempt").toInteger(1));
    run.access = json.value("read_only").toBool() ? RunAccess::ReadOnly : RunAccess::Full;
    run.createdNs = json.value("created_ns").toInteger();
    return run;
}

} // namespace

QString nameOf(RunKind kind)
{
    switch (kind) {
    case RunKind::Train:
        break;
    case RunKind::Prepare:
        return "prepare";
    case RunKind::Probe:
        return "probe";
    }
    return "train";
}

RunKind runKindFrom(const QString& name)
{
    for (const RunKind kind : {RunKind::Prepare, RunKind::Probe}) {
        if (nameOf(kind) == name)
            return kind;
    }
    return RunKind::Train;
}

QString documentOf(RunKind kind)
{
    switch (kind) {
    case RunKind::Train:
        break;
    case RunKind::Prepare:
        return "job.json";
    case RunKind::Probe:
        return "probe.json";
    }
    return "spec.json";
}

void DeskRun::moveTo(const QStringList& newHosts)
{
    streamHosts = allHosts();
    for (const QString& host : newHosts) {
        if (!streamHosts.contains(host))
            streamHosts << host;
    }
    hosts = newHosts;
}

Status saveDeskRun(const DeskRun& run)
{
    TRAINYARD_TRY_STATUS(makeFolder(runDir(run.id)));
    return writeFileAtomically(fileOf(run.id), QJsonDocument(toJson(run)).toJson().toStdString());
}

Result<DeskRun> loadDeskRun(const QString& id)
{
    if (!isPlainName(id.toStdString()))
        return badInput("\"" + id.toStdString() + "\" is not a valid run name");
    const fs::path file = fileOf(id);
    const auto text = readFile(file);
    if (!text.ok())
        return badInput("this computer does not have the run " + id.toStdString(),
                        "`trainyard runs` lists its runs; `trainyard attach RUN --host H` adds one");
    const auto document = QJsonDocument::fromJson(QByteArray::fromStdString(*text));
    DeskRun run = fromJson(id, document.object());
    if (run.hosts.isEmpty())
        return badInput(file.string() + " is damaged", "attach to the run again with its host");
    return run;
}

Result<DeskRun> loadDeskRunToAct(const QString& id)
{
    TRAINYARD_TRY(DeskRun run, loadDeskRun(id));
    if (run.access == RunAccess::ReadOnly)
        return refused("this computer is attached to the run " + id.toStdString() + " read-only",
                       "attach again without --read-only: trainyard attach " + id.toStdString() + " --host " +
                           run.head().toStdString());
    return run;
}

std::vector<DeskRun> deskRuns()
{
    std::vector<DeskRun> runs;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(runsDir(), error)) {
        if (auto run = loadDeskRun(QString::fromStdString(entry.path().filename().string())); run.ok())
            runs.push_back(std::move(run).value());
    }
    std::sort(runs.begin(), runs.end(),
              [](const auto& a, const auto& b) { return a.createdNs > b.createdNs; });
    return runs;
}

std::vector<std::string> deskRunIds()
{
    std::vector<std::string> ids;
    for (const DeskRun& run : deskRuns())
        ids.push_back(run.id.toStdString());
    return ids;
}

QString makeRunId(const QString& name)
{
    const QString stamp = QString::fromStdString(utcStamp(systemClock().now()));
    return QString("%1-%2-%3")
        .arg(stamp, name)
        .arg(QRandomGenerator::system()->bounded(0x10000), 4, 16, QChar('0'));
}

} // namespace trainyard
