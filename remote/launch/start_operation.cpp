#include "remote/launch/start_operation.h"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include <QJsonArray>
#include <QJsonDocument>
#include <gnu/libc-version.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/records/record.h"
#include "remote/launch/data_set_manifest.h"
#include "remote/launch/inventory.h"
#include "remote/launch/judge_spec.h"
#include "remote/target/desk_folders.h"
#include "remote/target/programs.h"
#include "remote/target/whole_file.h"

namespace trainyard {

namespace {

const QString kInstalled = "installed"; // this machine's own executables, nothing is sent

bool isHere(const QStringList& hosts)
{
    return hosts == QStringList{"localhost"};
}

/// A name for other machines: without the user that only this desk's login needs.
QString hostPart(const QString& host)
{
    return host.section('@', -1);
}

QString sizeText(qint64 bytes)
{
    return QString::fromStdString(formatBytes(static_cast<Bytes>(bytes)));
}

/// `run` as the host lists it.
Status mayResume(const QJsonObject& run)
{
    const std::string id = run.value("run").toString().toStdString();
    if (run.value("live").toBool())
        return refused("the run " + id + " is still at work", "stop it first");
    if (run.value("state").toString().toStdString() == nameOf(RunState::Finished))
        return refused("the run " + id + " is finished: all its " +
                           std::to_string(run.value("steps").toInteger()) + " steps are done",
                       "to train for longer, launch a specification with more launch.steps");
    return {};
}

} // namespace

StartOperation::StartOperation(StartPlan plan, TargetPool& targets, QObject* parent)
    : RunOperation(parent)
    , m_plan(std::move(plan))
    , m_group(m_plan.run.hosts, targets)
    , m_deployDone(m_plan.run.hosts.size(), 0)
    , m_deployTotal(m_plan.run.hosts.size(), 0)
{
    m_runId = m_plan.run.id;
}

void StartOperation::refuse(const Error& error)
{
    QMetaObject::invokeMethod(
        this, [this, error] { finish(error); }, Qt::QueuedConnection);
}

void StartOperation::start()
{
    if (m_group.size() > 1 && m_plan.run.hosts.contains("localhost"))
        return refuse(refused(
            "cluster.nodes: \"localhost\" stands beside other hosts, which cannot reach it by that name",
            "give this machine's network name"));
    emit progress("connecting to " + m_plan.run.hosts.join(", "), -1);
    m_group.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return fail(ready.error());
        onReady();
    });
}

void StartOperation::onReady()
{
    if (m_ended)
        return;
    if (m_plan.resume)
        findAttempt();
    else
        inspect();
}

/// The host knows best how often the run was started, and whether it is still at work.
void StartOperation::findAttempt()
{
    m_group.target(0).call({{"op", "runs"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        for (const auto& entry : reply->value("runs").toArray()) {
            const QJsonObject run = entry.toObject();
            if (run.value("run").toString() != m_runId)
                continue;
            if (const Status resumable = mayResume(run); !resumable.ok())
                return fail(resumable.error());
            m_plan.run.attempt = static_cast<std::uint32_t>(run.value("attempt").toInteger() + 1);
            return inspect();
        }
        fail(badInput(m_plan.run.head().toStdString() + " does not have the run " + m_runId.toStdString()));
    });
}

void StartOperation::onDeployProgress(const QString& host, qint64 done, qint64 total)
{
    const auto node = m_plan.run.hosts.indexOf(host);
    if (node < 0 || total == 0)
        return;
    m_deployDone[node] = done;
    m_deployTotal[node] = total;
    const qint64 all = std::accumulate(m_deployTotal.begin(), m_deployTotal.end(), qint64{0});
    const qint64 there = std::accumulate(m_deployDone.begin(), m_deployDone.end(), qint64{0});
    emit progress(QString("sending the engine: %1 of %2").arg(sizeText(there), sizeText(all)),
                  double(there) / double(all));
}

void StartOperation::inspect()
{
    if (m_ended)
        return;
    emit progress("looking at the hosts", -1);
    m_group.callAll(
        [](int) {
            return QJsonObject{{"op", "probe"}};
        },
        [this](const HostGroup::Answers& answers) { onInspected(answers); });
}

void StartOperation::onInspected(const HostGroup::Answers& answers)
{
    if (const Status all = allOf(answers); !all.ok())
        return fail(all.error());
    std::vector<HostReport> reports;
    for (int node = 0; node < m_group.size(); ++node) {
        m_probes.push_back(answers[static_cast<std::size_t>(node)].value());
        HostReport report = judgeHost(readFacts(m_group.hosts()[node], m_probes.back(), {}),
                                      TRAINYARD_VERSION, ::gnu_get_libc_version());
        if (m_plan.run.kind == RunKind::Prepare) // runs without mpirun
            report.rows.removeIf([](const CheckRow& row) { return row.check == "MPI"; });
        reports.push_back(std::move(report));
    }
    if (const Status fit = judgeHosts(reports); !fit.ok())
        return fail(fit.error());
    deploy();
}

/// The CUDA libraries are big, so they go only where ranks will compute on devices; on resume where they went
/// before.
bool StartOperation::usesDevices() const
{
    if (!m_plan.spec)
        return false;
    const std::vector<NodeMemory> memory = memoryOfNodes();
    const auto hosts = memoryOfHosts(*m_plan.spec, [&](std::size_t node) { return memory[node]; });
    return std::ranges::all_of(hosts, &HostMemory::onDevices);
}

void StartOperation::deploy()
{
    if (m_ended)
        return;
    if (isHere(m_plan.run.hosts)) {
        m_plan.run.bundle = kInstalled;
        return onDeployed();
    }
    const auto folder = findBundleFolder();
    auto bundle = folder.ok() ? Bundle::load(*folder, TRAINYARD_VERSION) : Result<Bundle>(folder.error());
    if (!bundle.ok())
        return fail(bundle.error());
    Bundle plain = bundle->withoutCuda();
    const bool wasPlain = m_plan.run.bundle == QString::fromStdString(plain.id);
    if (m_plan.resume ? wasPlain : !usesDevices())
        bundle = std::move(plain);
    m_plan.run.bundle = QString::fromStdString(bundle->id);
    m_deployer = std::make_unique<Deployer>(std::move(bundle).value(), m_group.targets());
    connect(m_deployer.get(), &Deployer::progress, this, &StartOperation::onDeployProgress);
    connect(m_deployer.get(), &Deployer::finished, this, [this](const Status& deployed) {
        if (!deployed.ok())
            return fail(deployed.error());
        onDeployed();
    });
    m_deployer->start();
}

void StartOperation::onDeployed()
{
    if (m_ended)
        return;
    if (m_plan.spec)
        findDataSet();
    else
        keep();
}

/// Better known now than by the first rank that opens it.
void StartOperation::findDataSet()
{
    const QString folder = QString::fromStdString(m_plan.spec->dataset.path);
    readWhole(m_group.target(0), {{"op", "data-set"}, {"folder", folder}}, this,
              [this](const Result<QByteArray>& manifest) {
                  if (!manifest.ok())
                      return fail(manifest.error());
                  m_manifest = *manifest;
                  judge();
              });
}

void StartOperation::judge()
{
    const auto data =
        parseDataSetManifest(m_manifest.toStdString(), m_plan.spec->dataset.path + "/manifest.json");
    if (!data.ok())
        return fail(data.error());
    const auto remarks = judgeSpec(*m_plan.spec, *data, memoryOfNodes());
    if (!remarks.ok())
        return fail(remarks.error());
    for (const Diagnostic& remark : *remarks)
        emit noticed(QString::fromStdString(remark.text()));
    keep();
}

/// As the probes tell it.
std::vector<NodeMemory> StartOperation::memoryOfNodes() const
{
    std::vector<NodeMemory> memory;
    for (const QJsonObject& probe : m_probes)
        memory.push_back(memoryOf(readFacts({}, probe, {})));
    return memory;
}

void StartOperation::keep()
{
    if (m_ended)
        return;
    if (const Status kept = keepOnDesk(); !kept.ok())
        return fail(kept.error());
    if (m_plan.resume)
        launch();
    else
        makeRun();
}

Status StartOperation::keepOnDesk() const
{
    TRAINYARD_TRY_STATUS(saveDeskRun(m_plan.run));
    if (m_plan.resume)
        return {};
    const auto folder = deskRunFolder(m_runId);
    if (m_plan.run.kind == RunKind::Prepare)
        return writeFileAtomically(folder / "job.json", m_plan.document.toStdString());
    TRAINYARD_TRY_STATUS(writeFileAtomically(folder / "spec.json", m_plan.document.toStdString()));
    return writeFileAtomically(folder / "dataset.json", m_manifest.toStdString());
}

void StartOperation::makeRun()
{
    if (m_ended)
        return;
    emit progress("making the run on every host", -1);
    m_madeOnHosts = true;
    const bool training = m_plan.run.kind == RunKind::Train;
    const QJsonObject inventory = inventoryOf(m_group.hosts(), m_probes, m_plan.run.bundle);
    // Reports made without a link say what the hosts were.
    const Status kept = writeFileAtomically(deskRunFolder(m_runId) / "inventory.json",
                                            QJsonDocument(inventory).toJson().toStdString());
    if (!kept.ok())
        return fail(kept.error());
    const auto request = [this, training, inventory](int node) {
        return QJsonObject{{"op", "create-run"},
                           {"run", m_runId},
                           {"kind", training ? "train" : "prepare"},
                           {training ? "spec" : "job", QString::fromUtf8(m_plan.document)},
                           {"inventory", inventory},
                           {"node", node}};
    };
    m_group.callAll(request, [this](const HostGroup::Answers& answers) {
        if (const Status all = allOf(answers); !all.ok())
            return fail(all.error());
        launch();
    });
}

QJsonArray StartOperation::nodesForLaunch() const
{
    QJsonArray nodes;
    for (int node = 0; node < m_group.size(); ++node) {
        const QJsonObject& probe = m_probes[static_cast<std::size_t>(node)];
        const auto agent = m_group.target(node).agent();
        nodes << QJsonObject{{"host", hostPart(m_group.hosts()[node])},
                             {"slots", m_plan.slotCounts.value(node, 1)},
                             {"cores", probe.value("cpu").toObject().value("cores").toInt()},
                             {"root", agent ? agent->root : QString()}};
    }
    return nodes;
}

void StartOperation::launch()
{
    if (m_ended)
        return;
    emit progress("starting the run", -1);
    QJsonObject request{{"op", "launch"},
                        {"run", m_runId},
                        {"attempt", qint64{m_plan.run.attempt}},
                        {"nodes", nodesForLaunch()}};
    if (m_plan.run.bundle == kInstalled)
        request.insert("programs", programFolder());
    else
        request.insert("bundle", m_plan.run.bundle);
    if (const QString network = commonNetwork(m_probes); m_group.size() > 1 && !network.isEmpty())
        request.insert("interface", network);
    m_launched = true;
    m_group.target(0).call(request, this, [this](const Result<QJsonObject>& reply) {
        if (reply.ok())
            return attend();
        m_launched = false;
        fail(reply.error());
    });
}

/// Samples of the devices are welcome, not needed: a host that refuses them does not end the run.
void StartOperation::attend()
{
    const auto request = [this](int node) {
        return QJsonObject{
            {"op", "attend"}, {"run", m_runId}, {"node", node}, {"attempt", qint64{m_plan.run.attempt}}};
    };
    m_group.callAll(request, [this](const HostGroup::Answers& answers) {
        if (const Status all = allOf(answers); !all.ok())
            emit noticed("device samples will be missing: " + QString::fromStdString(all.error().text()));
        finish(m_runId);
    });
}

void StartOperation::cancel()
{
    if (!m_launched && !m_ended)
        fail(cancelled("starting " + m_runId.toStdString() + " was cancelled"));
}

void StartOperation::fail(const Error& error)
{
    if (std::exchange(m_ended, true))
        return;
    if (m_deployer)
        m_deployer.release()->deleteLater(); // we may be in its signal
    if (m_plan.resume)
        return finish(error);
    takeBack(error);
}

void StartOperation::takeBack(const Error& error)
{
    std::error_code ignored;
    std::filesystem::remove_all(deskRunFolder(m_runId), ignored);
    if (!m_madeOnHosts)
        return finish(error);
    m_group.callAll(
        [this](int) {
            return QJsonObject{{"op", "remove-run"}, {"run", m_runId}};
        },
        [this, error](const HostGroup::Answers&) { finish(error); });
}

void StartOperation::finish(const Result<QString>& result)
{
    m_ended = true;
    deleteLater();
    emit finished(result);
}

} // namespace trainyard
