#include "remote/launch/run_service.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "engine/base/clock.h"
#include "engine/base/file.h"
#include "engine/records/flight_ring.h"
#include "engine/spec/launch_rules.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "remote/launch/attach_operation.h"
#include "remote/launch/checkpoint_question.h"
#include "remote/launch/rank_file_reader.h"
#include "remote/launch/start_operation.h"
#include "remote/target/data_dirs.h"
#include "remote/target/host_question.h"
#include "remote/target/joined_errors.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

constexpr qint64 kMaxRingBytes = 512 * 1024; ///< a ring of a large run has less

HostRun hostRunOf(const QJsonObject& json)
{
    HostRun run;
    run.id = json.value("run").toString();
    run.name = json.value("name").toString();
    run.kind = runKindFrom(json.value("kind").toString());
    run.state = runStateFromName(json.value("state").toString().toStdString()).value_or(RunState::Pending);
    run.reason = json.value("reason").toString();
    run.step = json.value("step").toInteger();
    run.steps = json.value("steps").toInteger();
    run.attempt = json.value("attempt").toInt(1);
    return run;
}

/// What `parse` makes of each object in an array of a reply.
template <typename T>
QList<T> listOf(const QJsonObject& reply, const char* field, T (*parse)(const QJsonObject&))
{
    QList<T> list;
    for (const auto& entry : reply.value(field).toArray())
        list << parse(entry.toObject());
    return list;
}

HostFolder hostFolderOf(const QString& path, const QJsonObject& reply)
{
    HostFolder folder{path, reply.value("home").toString(), {}};
    for (const auto& value : reply.value("entries").toArray()) {
        const QJsonObject entry = value.toObject();
        folder.entries.append({entry.value("name").toString(), entry.value("size").toInteger(),
                               entry.value("folder").toBool()});
    }
    return folder;
}

/// For requests that only have to succeed.
Status isDone(const QJsonObject&)
{
    return {};
}

/// Its supervisor may still be about to leave.
void endAndRemove(Target& target, const QString& runId, HostQuestion<void>& question)
{
    const QJsonObject stop{{"op", "stop"}, {"run", runId}, {"grace_ms", 0}, {"checkpoint", false}};
    target.call(stop, &question, [&target, &question, runId](const Result<QJsonObject>& stopped) {
        if (!stopped.ok())
            return question.answer(stopped.error());
        target.call({{"op", "remove-run"}, {"run", runId}}, &question,
                    [&question](const Result<QJsonObject>& reply) {
                        question.answer(reply.ok() ? Status() : Status(reply.error()));
                    });
    });
}

DeskRun newRun(const QString& name, RunKind kind, const QStringList& hosts)
{
    DeskRun run;
    run.id = makeRunId(name);
    run.name = name;
    run.kind = kind;
    run.hosts = hosts;
    run.createdNs = systemClock().now().wallNs;
    return run;
}

bool isForSlurm(const RunSpec& spec)
{
    return spec.launch.launcher == LauncherKind::Slurm;
}

/// The hosts that the desk talks to; with Slurm the login host alone.
QStringList hostsOf(const RunSpec& spec)
{
    QStringList hosts;
    for (const NodeSpec& node : spec.cluster.nodes)
        hosts << QString::fromStdString(node.host);
    return isForSlurm(spec) ? hosts.mid(0, 1) : hosts;
}

void takeCluster(StartPlan& plan, const ClusterSpec& cluster)
{
    plan.slotCounts.clear();
    plan.devices.clear();
    for (const NodeSpec& node : cluster.nodes) {
        plan.slotCounts << node.slotCount;
        QStringList devices;
        for (const std::string& device : node.devices)
            devices << QString::fromStdString(device);
        plan.devices << devices;
    }
}

NetworkChoice networkOf(const LaunchSpec& launch)
{
    const PortRange ports = portRangeIn(launch.ports).value_or(PortRange());
    return {QString::fromStdString(launch.network), ports.first, ports.last};
}

StartPlan planOf(const RunSpec& spec, RunKind kind)
{
    StartPlan plan;
    plan.run = newRun(QString::fromStdString(spec.name), kind, hostsOf(spec));
    takeCluster(plan, spec.cluster);
    plan.slurm = isForSlurm(spec);
    plan.network = networkOf(spec.launch);
    plan.document = QByteArray::fromStdString(toJson(spec));
    plan.spec = spec;
    return plan;
}

/// The head keeps the name by which this computer reaches it.
Status takeHosts(StartPlan& plan)
{
    const QStringList hosts = QStringList{plan.run.head()} + hostsOf(*plan.spec).mid(1);
    if (hosts == plan.run.hosts)
        return {};
    TRAINYARD_TRY(const std::string document,
                  readFile(runDir(plan.run.id) / documentOf(RunKind::Train).toStdString()));
    plan.document = QByteArray::fromStdString(document);
    plan.moves = true;
    plan.run.moveTo(hosts);
    return {};
}

Status takeLayout(StartPlan& plan, const RunSpec& spec, const RunSpec& layout)
{
    if (plan.slurm)
        return refused("the layout of a Slurm run cannot change after submission",
                       "launch its specification with another layout");
    plan.layout = layoutText(layout);
    TRAINYARD_TRY(plan.spec, withLayout(spec, plan.layout));
    takeCluster(plan, plan.spec->cluster);
    return takeHosts(plan);
}

} // namespace

RunService::RunService(TargetPool& targets, QObject* parent) : QObject(parent), m_targets(targets) {}

RunOperation* RunService::begin(StartPlan plan)
{
    auto* operation = new StartOperation(std::move(plan), m_targets, this);
    connect(operation, &RunOperation::finished, this, [this](const Result<QString>& result) {
        if (result.ok())
            emit runLaunched(*result);
    });
    QMetaObject::invokeMethod(operation, &StartOperation::start, Qt::QueuedConnection);
    return operation;
}

RunOperation* RunService::refuseToBegin(const QString& runId, const Error& error)
{
    StartPlan plan;
    plan.run.id = runId;
    plan.resume = true; // nothing is there that could be taken back
    auto* operation = new StartOperation(std::move(plan), m_targets, this);
    operation->refuse(error);
    return operation;
}

bool RunService::isStarting() const
{
    return !findChildren<StartOperation*>(Qt::FindDirectChildrenOnly).isEmpty();
}

RunOperation* RunService::launch(const RunSpec& spec, SendData sendData)
{
    if (const Diagnostics diagnostics = validate(spec); !diagnostics.empty())
        return refuseToBegin({}, toError(diagnostics));
    StartPlan plan = planOf(spec, RunKind::Train);
    plan.sendData = sendData;
    return begin(std::move(plan));
}

RunOperation* RunService::launchPrepare(const QString& host, const QString& name,
                                        const QStringList& arguments)
{
    return launchData(host, {.name = name, .arguments = arguments});
}

RunOperation* RunService::launchData(const QString& host, const DataJob& job)
{
    if (!isPlainName(job.name.toStdString()))
        return refuseToBegin({}, badInput("\"" + job.name.toStdString() + "\" is not a valid job name",
                                          "use letters, digits, '.', '_' and '-'"));
    StartPlan plan;
    plan.run = newRun(job.name, RunKind::Prepare, {host});
    plan.document = QJsonDocument(QJsonObject{{"name", job.name},
                                              {"command", job.command},
                                              {"arguments", QJsonArray::fromStringList(job.arguments)}})
                        .toJson();
    plan.slotCounts = {1};
    return begin(std::move(plan));
}

RunOperation* RunService::launchProbe(const RunSpec& spec)
{
    if (const Diagnostics diagnostics = validate(spec); !diagnostics.empty())
        return refuseToBegin({}, toError(diagnostics));
    if (isForSlurm(spec))
        return refuseToBegin({}, refused("hosts cannot be probed through Slurm",
                                         "name nodes that can be reached over SSH in cluster.nodes, with "
                                         "launch.launcher \"mpirun\""));
    return begin(planOf(spec, RunKind::Probe));
}

RunOperation* RunService::resume(const QString& runId, const ResumeChanges& changes)
{
    const auto run = loadDeskRunToAct(runId);
    if (!run.ok())
        return refuseToBegin(runId, run.error());
    if (run->kind != RunKind::Train)
        return refuseToBegin(runId, refused("only training runs can be resumed", "start it again"));
    const auto spec = loadSpec(runDir(runId) / "spec.json");
    if (!spec.ok())
        return refuseToBegin(runId, spec.error());
    StartPlan plan;
    plan.run = *run;
    plan.resume = true;
    plan.learningRate = changes.learningRate;
    plan.step = changes.step;
    takeCluster(plan, spec->cluster);
    plan.slurm = isForSlurm(*spec);
    plan.network = networkOf(spec->launch);
    if (changes.layout) {
        if (const Status taken = takeLayout(plan, *spec, *changes.layout); !taken.ok())
            return refuseToBegin(runId, taken.error());
    }
    return begin(std::move(plan));
}

RunOperation* RunService::stop(const QString& runId, const StopOptions& options)
{
    const auto run = loadDeskRunToAct(runId);
    if (!run.ok())
        return refuseToBegin(runId, run.error());
    auto* operation = new StopOperation(*run, options, m_targets, this);
    QMetaObject::invokeMethod(operation, &StopOperation::start, Qt::QueuedConnection);
    return operation;
}

RunOperation* RunService::attach(const QString& host, const QString& runId, RunAccess access)
{
    auto* operation = new AttachOperation(host, runId, access, m_targets, this);
    QMetaObject::invokeMethod(operation, &AttachOperation::start, Qt::QueuedConnection);
    return operation;
}

void RunService::requestCheckpoint(const QString& runId, const QObject* context,
                                   std::function<void(const Status&)> done)
{
    const auto run = loadDeskRunToAct(runId);
    if (!run.ok())
        return done(run.error());
    auto* question = new HostQuestion<void>(run->head(), m_targets, this, context, std::move(done));
    question->call({{"op", "checkpoint"}, {"run", runId}}, isDone);
}

void RunService::listCheckpoints(const QString& runId, std::chrono::milliseconds verification,
                                 const QObject* context,
                                 std::function<void(const Result<QList<RunCheckpoint>>&)> done)
{
    const auto run = loadDeskRun(runId);
    if (!run.ok())
        return done(run.error());
    auto* question = new CheckpointQuestion(*run, m_targets, this, context, std::move(done));
    question->ask(verification);
}

void RunService::listRuns(const QString& host, const QObject* context,
                          std::function<void(const Result<QList<HostRun>>&)> done)
{
    auto* question = new HostQuestion<QList<HostRun>>(host, m_targets, this, context, std::move(done));
    question->call({{"op", "runs"}},
                   [](const QJsonObject& reply) { return listOf(reply, "runs", hostRunOf); });
}

void RunService::listFolder(const QString& host, const QString& folder, const QObject* context,
                            std::function<void(const Result<HostFolder>&)> done)
{
    auto* question = new HostQuestion<HostFolder>(host, m_targets, this, context, std::move(done));
    question->call({{"op", "folder"}, {"folder", folder}},
                   [folder](const QJsonObject& reply) { return hostFolderOf(folder, reply); });
}

void RunService::readRunFile(const QString& host, const QString& runId, const QString& file,
                             const QObject* context, std::function<void(const Result<QByteArray>&)> done)
{
    auto* question = new HostQuestion<QByteArray>(host, m_targets, this, context, std::move(done));
    question->ask([question, runId, file](Target& target) {
        readWhole(target, {{"op", "read"}, {"run", runId}, {"file", file}}, question,
                  [question](const Result<QByteArray>& content) { question->answer(content); });
    });
}

void RunService::removeRun(const QString& runId, const QStringList& hosts,
                           std::function<void(const Status&)> done)
{
    std::error_code ignored;
    std::filesystem::remove_all(runDir(runId), ignored);
    auto all = std::make_shared<Status>();
    auto waiting = std::make_shared<qsizetype>(hosts.size());
    for (const QString& host : hosts) {
        auto* question = new HostQuestion<void>(host, m_targets, this, this, [=](const Status& removed) {
            if (!removed.ok())
                *all = removed;
            if (--*waiting == 0)
                done(*all);
        });
        question->ask([question, runId](Target& target) { endAndRemove(target, runId, *question); });
    }
}

void RunService::removeFromHosts(const QString& runId, const QObject* context,
                                 std::function<void(const Status&)> done)
{
    const auto run = loadDeskRunToAct(runId);
    if (!run.ok())
        return done(run.error());
    struct Asked {
        std::vector<Error> errors;
        int waiting = 0;
    };
    const auto asked = std::make_shared<Asked>(Asked{{}, static_cast<int>(run->allHosts().size())});
    for (const QString& host : run->allHosts()) {
        const auto heard = [asked, done, all = run->allHosts().size()](const Status& removed) {
            if (!removed.ok())
                asked->errors.push_back(removed.error());
            if (--asked->waiting == 0)
                done(joinedErrors(asked->errors, static_cast<int>(all)));
        };
        auto* question = new HostQuestion<void>(host, m_targets, this, context, heard);
        question->call({{"op", "remove-run"}, {"run", runId}}, isDone);
    }
}

void RunService::readManifest(const QString& host, const QString& folder, const QObject* context,
                              std::function<void(const Result<QByteArray>&)> done)
{
    auto* question = new HostQuestion<QByteArray>(host, m_targets, this, context, std::move(done));
    question->ask([question, folder](Target& target) {
        readWhole(target, {{"op", "data-set"}, {"folder", folder}}, question,
                  [question](const Result<QByteArray>& manifest) { question->answer(manifest); });
    });
}

void RunService::readLog(const QString& runId, int rank, qint64 offset, qint64 limit, const QObject* context,
                         std::function<void(const Result<LogPiece>&)> done)
{
    auto* reader = new RankFileReader(runId, rank, QStringLiteral("log"), m_targets, this);
    const QPointer<const QObject> alive(context);
    connect(reader, &RankFileReader::finished, this, [alive, done](const Result<LogPiece>& result) {
        if (alive)
            done(result);
    });
    reader->start(offset, limit);
}

void RunService::readRing(const QString& runId, int rank, const QObject* context,
                          std::function<void(const Result<FlightSnapshot>&)> done)
{
    auto* reader = new RankFileReader(runId, rank, QStringLiteral("ring"), m_targets, this);
    connect(reader, &RankFileReader::finished, context,
            [rank, done = std::move(done)](const Result<LogPiece>& piece) {
                done(piece.ok() ? parseFlightRing(piece->bytes.toStdString(),
                                                  "the flight ring of rank " + std::to_string(rank))
                                : Result<FlightSnapshot>(piece.error()));
            });
    reader->start(0, kMaxRingBytes);
}

} // namespace trainyard
