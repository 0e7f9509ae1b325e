#include "remote/launch/start_operation.h"

#include <algorithm>
#include <filesystem>

#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/checkpoint/weights/find_weights.h"
#include "engine/checkpoint/weights/weight_comparison.h"
#include "engine/records/record.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/inventory.h"
#include "remote/launch/shared_run_folder.h"
#include "remote/preflight/node_names.h"
#include "remote/target/data_dirs.h"
#include "remote/target/programs.h"
#include "remote/target/read_file.h"

namespace trainyard {

namespace {

/// Long enough to see a slow link, too short to disturb other runs on the network.
constexpr std::chrono::milliseconds kLinkMeasurement{300};
/// For answers under way when the start is taken back.
constexpr std::chrono::seconds kAnswerPatience{15};
const QString kInstalled = "installed"; // this machine's own executables, nothing is sent

bool isHere(const QStringList& hosts)
{
    return hosts == QStringList{"localhost"};
}

/// To all hosts together: the mean of what the preflight measured to each, for all share this computer's
/// link. 0 = not measured.
double uploadRate(const QList<HostReport>& hosts)
{
    double sum = 0;
    int measured = 0;
    for (const HostReport& host : hosts) {
        const double rate = host.facts.link.uploadBytesPerSecond;
        sum += rate;
        measured += rate > 0 ? 1 : 0;
    }
    return measured > 0 ? sum / measured : 0;
}

Error alreadyFinished(const std::string& id, const QJsonObject& run)
{
    const std::string early =
        run.value("reason").toString().toStdString(); // by evaluation.target or patience
    if (!early.empty())
        return refused("the run " + id + " is finished: " + early,
                       "to train for longer, launch a specification with another evaluation.target or "
                       "evaluation.patience");
    return refused("the run " + id + " is finished: all its " +
                       std::to_string(run.value("steps").toInteger()) + " steps are done",
                   "to train for longer, launch a specification with more launch.steps");
}

/// `run` as the host lists it.
Status mayResume(const QJsonObject& run)
{
    const std::string id = run.value("run").toString().toStdString();
    if (run.value("live").toBool())
        return refused("the run " + id + " is still running", "stop it first");
    if (run.value("state").toString().toStdString() == nameOf(RunState::Finished))
        return alreadyFinished(id, run);
    return {};
}

Status noAnswerFrom(const QStringList& hosts)
{
    return unreachable("not all of " + hosts.join(", ").toStdString() + " answered in time");
}

/// Of hosts without a shared folder.
QString placesOfCheckpoints(const RunSpec& spec)
{
    return spec.checkpoint.copies > 0
               ? "checkpoints are kept on each host and copied to its neighbour"
               : "checkpoints are kept on each host without a copy (checkpoint.copies 0): if a host is lost, "
                 "so are they";
}

/// Of a start that could not be taken back as a whole.
Error withRemains(const Error& failure, const Error& remains)
{
    const std::string hint = "stop the run when its hosts answer";
    return {failure.kind, failure.message + "; parts of it may remain: " + remains.message,
            failure.hint.empty() ? hint : failure.hint + "; " + hint};
}

/// NCCL takes interfaces by name alone.
QJsonObject variablesForNccl(const PreflightReport& report)
{
    QJsonObject variables;
    if (!report.interfaceNames.isEmpty())
        variables.insert("NCCL_SOCKET_IFNAME", '=' + report.interfaceNames.join(','));
    if (report.ipv6)
        variables.insert("NCCL_SOCKET_FAMILY", "AF_INET6");
    return variables;
}

/// What the run would share with others: "gpu-03: gpu 0 is used by anna (python, 31.2 GiB)".
QStringList usedByOthers(const PreflightReport& report)
{
    QStringList texts;
    for (const HostReport& host : report.hosts) {
        for (const CheckRow& row : host.rows) {
            if (row.verdict == Verdict::Warn && row.check == "device state")
                texts << host.host + ": " + row.found;
        }
    }
    return texts;
}

} // namespace

StartOperation::StartOperation(StartPlan plan, TargetPool& targets, QObject* parent)
    : RunOperation(parent), m_plan(std::move(plan)), m_targets(targets), m_group(m_plan.run.hosts, targets)
{
    m_runId = m_plan.run.id;
}

void StartOperation::start()
{
    if (m_group.size() > 1 && m_plan.run.hosts.contains("localhost"))
        return refuse(refused(
            "cluster.nodes: \"localhost\" is listed with other hosts, which cannot reach it by that name",
            "use this machine's network name"));
    if (const QString address = addressThatMpiRefuses(); !address.isEmpty())
        return refuse(
            refused("cluster.nodes: MPI does not accept an IPv6 address as a host: " + address.toStdString(),
                    "give the host a name, in /etc/hosts of all hosts and of this computer, or in "
                    "ssh's configuration, and use that"));
    if (!enter("connecting to " + m_plan.run.hosts.join(", ")))
        return;
    m_group.whenReady([this](const Status& ready) {
        if (!ready.ok())
            return fail(ready.error());
        onReady();
    });
}

/// The head calls itself by its host name.
QString StartOperation::addressThatMpiRefuses() const
{
    for (int node = 1; node < m_group.size() && !m_plan.slurm; ++node) {
        if (nameForMpi(m_group.hosts()[node]).count(':') > 1)
            return m_group.hosts()[node];
    }
    return {};
}

bool StartOperation::enter(const QString& stage)
{
    if (m_state == State::Starting)
        emit progress(stage, -1);
    return m_state == State::Starting;
}

void StartOperation::onReady()
{
    if (m_state != State::Starting)
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

void StartOperation::inspect()
{
    if (m_state != State::Starting)
        return;
    PreflightOptions options;
    // A data job runs on one host, without mpirun; what Slurm's nodes have is for Slurm to know.
    options.links = options.mpi = m_plan.run.kind != RunKind::Prepare && !m_plan.slurm;
    options.streaming = kLinkMeasurement;
    if (m_plan.slurm || (m_plan.spec && m_plan.spec->launch.mpi == MpiSource::Node))
        options.engine = options.engine.withMpiOfHost();
    options.network = m_plan.network;
    m_preflight = std::make_unique<Preflight>(m_plan.run.hosts, m_targets, std::move(options));
    connect(m_preflight.get(), &Preflight::progress, this,
            [this](const QString& text, int done, int total) { emit progress(text, double(done) / total); });
    connect(m_preflight.get(), &Preflight::finished, this, &StartOperation::onInspected);
    m_preflight->start();
}

void StartOperation::onInspected(const PreflightReport& report)
{
    if (m_state != State::Starting)
        return;
    if (const Status fit = report.judge(); !fit.ok())
        return fail(fit.error());
    m_found = report;
    for (const QString& use : usedByOthers(report))
        emit noticed(use);
    for (const QString& host : m_group.hosts()) {
        const auto found = std::find_if(report.hosts.begin(), report.hosts.end(),
                                        [&](const HostReport& one) { return one.host == host; });
        m_probes.push_back(found->facts.raw);
    }
    if (m_plan.slurm && !m_plan.resume)
        askSlurm();
    else
        deploy();
}

void StartOperation::askSlurm()
{
    if (!enter("asking Slurm"))
        return;
    const QJsonObject request{{"op", "slurm-check"}, {"spec", QString::fromUtf8(m_plan.document)}};
    m_group.target(0).call(request, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return fail(reply.error());
        deploy();
    });
}

void StartOperation::deploy()
{
    if (m_state != State::Starting)
        return;
    if (isHere(m_plan.run.hosts)) {
        m_plan.run.bundle = kInstalled;
        return onDeployed();
    }
    EngineDeployment::Plan plan{m_group.targets(), judgement().usesDevices(), {}, uploadRate(m_found.hosts)};
    if (m_plan.resume)
        plan.earlier = m_plan.run.bundle;
    m_deployment = std::make_unique<EngineDeployment>(std::move(plan));
    const auto bundle = m_deployment->choose();
    if (!bundle.ok())
        return fail(bundle.error());
    m_plan.run.bundle = *bundle;
    connect(m_deployment.get(), &EngineDeployment::planned, this, &StartOperation::planned);
    connect(m_deployment.get(), &EngineDeployment::progress, this, &StartOperation::progress);
    connect(m_deployment.get(), &EngineDeployment::noticed, this, &StartOperation::noticed);
    connect(m_deployment.get(), &EngineDeployment::finished, this, [this](const Status& deployed) {
        if (!deployed.ok())
            return fail(deployed.error());
        onDeployed();
    });
    m_deployment->start();
}

void StartOperation::onDeployed()
{
    if (m_state != State::Starting)
        return;
    if (m_plan.spec && m_plan.run.kind == RunKind::Train)
        findDataSet();
    else
        keep();
}

/// Better known now than by the first rank that opens it. What a resumed run reads is settled, but with
/// another layout hosts get ranks that had none.
void StartOperation::findDataSet()
{
    DataSetSupply::Plan plan{*m_plan.spec, m_group.hosts().mid(0, judgement().nodesWithRanks()),
                             m_plan.sendData, uploadRate(m_found.hosts), !m_plan.resume};
    m_supply = std::make_unique<DataSetSupply>(std::move(plan), m_targets);
    connect(m_supply.get(), &DataSetSupply::progress, this, &StartOperation::progress);
    connect(m_supply.get(), &DataSetSupply::noticed, this, &StartOperation::noticed);
    connect(m_supply.get(), &DataSetSupply::offered, this, &StartOperation::dataOffered);
    connect(m_supply.get(), &DataSetSupply::finished, this, &StartOperation::onDataSets);
    m_supply->start();
}

void StartOperation::onDataSets(const Result<SuppliedDataSets>& supplied)
{
    if (m_supply)
        m_supply.release()->deleteLater(); // we are in its signal
    if (m_state != State::Starting)
        return;
    if (!supplied.ok())
        return fail(supplied.error());
    m_dataSets = supplied->dataSets;
    if (supplied->moved) {
        m_plan.spec = supplied->spec;
        m_plan.document = QByteArray::fromStdString(toJson(supplied->spec));
    }
    judge();
}

void StartOperation::acceptOffer()
{
    if (m_supply)
        m_supply->acceptOffer();
}

void StartOperation::judge()
{
    const auto remark = [this](const QString& text) { emit noticed(text); };
    if (const Status able = judgement().judge(m_dataSets, remark); !able.ok())
        return fail(able.error());
    findWeights();
}

/// Better known now than by ranks that have all started. A resumed run has its own checkpoints.
void StartOperation::findWeights()
{
    const InitSpec& init = m_plan.spec->init;
    if (!init.isOn() || m_plan.resume)
        return keep();
    const QJsonObject request{
        {"op", "weights"}, {"path", QString::fromStdString(init.path)}, {"step", init.step}};
    readWhole(m_group.target(0), request, this, [this](const Result<QByteArray>& described) {
        if (!described.ok())
            return fail(described.error());
        if (described->isEmpty())
            return findWeightsHere();
        const auto stored = parseWeightDescription(described->toStdString());
        if (!stored.ok())
            return fail(stored.error().in("init.path"));
        judgeWeights(*stored);
    });
}

/// The host has nothing of that name.
void StartOperation::findWeightsHere()
{
    const InitSpec& init = m_plan.spec->init;
    const auto source = openWeightsHere(init);
    if (!source.ok())
        return fail(source.error());
    if (!*source)
        return fail(badInput("init.path: neither " + m_plan.run.head().toStdString() +
                                 " nor this computer has " + init.path,
                             noSuchModel(init.path, deskRunIds()).hint));
    m_weightFiles = (*source)->files();
    if (const Status sendable = canBeSent(m_weightFiles); !sendable.ok())
        return fail(sendable.error());
    judgeWeights((*source)->description());
}

void StartOperation::judgeWeights(const WeightDescription& stored)
{
    const WeightComparison found = compareWeights(stored, specOfPhase(*m_plan.spec, 0));
    if (!found.problems.empty())
        return fail(toError(found.problems));
    if (found.isPartial())
        emit noticed(QString::fromStdString(found.text()));
    keep();
}

void StartOperation::keep()
{
    if (m_state != State::Starting)
        return;
    if (const Status kept = keepOnDesk(); !kept.ok())
        return fail(kept.error());
    if (m_plan.resume)
        findSharedFolder();
    else
        makeRun();
}

Status StartOperation::keepOnDesk() const
{
    TRAINYARD_TRY_STATUS(saveDeskRun(m_plan.run));
    if (m_plan.resume)
        return {};
    const auto folder = runDir(m_runId);
    const auto document = folder / documentOf(m_plan.run.kind).toStdString();
    TRAINYARD_TRY_STATUS(writeFileAtomically(document, m_plan.document.toStdString()));
    return m_plan.run.kind == RunKind::Train ? m_dataSets.keep(folder, *m_plan.spec) : Status();
}

void StartOperation::makeRun()
{
    if (!enter("creating the run on every host"))
        return;
    const RunKind kind = m_plan.run.kind;
    const QJsonObject inventory = inventoryOf(m_group.hosts(), m_probes, m_plan.run.bundle, m_found);
    // Reports made without a link say what the hosts were.
    const Status kept = writeFileAtomically(runDir(m_runId) / "inventory.json",
                                            QJsonDocument(inventory).toJson().toStdString());
    if (!kept.ok())
        return fail(kept.error());
    const auto request = [this, kind, inventory](int node) {
        return QJsonObject{{"op", "create-run"},
                           {"run", m_runId},
                           {"kind", nameOf(kind)},
                           {kind == RunKind::Prepare ? "job" : "spec", QString::fromUtf8(m_plan.document)},
                           {"inventory", inventory},
                           {"node", node}};
    };
    askAll(request, [this](const HostGroup::Answers& answers) {
        if (const Status all = allOf(answers); !all.ok())
            return fail(all.error());
        findSharedFolder();
    });
}

/// The ranks find it out too; whoever launches is told before. The nodes of a batch job share the agent's
/// folder.
void StartOperation::findSharedFolder()
{
    const bool trains = m_plan.spec && m_plan.run.kind == RunKind::Train && !m_plan.slurm;
    if (!trains || everyRankHoldsAll(*m_plan.spec) || judgement().nodesWithRanks() < 2)
        return sendWeights();
    if (!enter("checking whether the hosts share the run's folder"))
        return;
    m_awaited = m_group.hosts(); // a mark must not come behind the removal of the run
    const auto then = [this](const Result<QStringList>& blind) {
        if (!goesOnAfterAnswer())
            return;
        if (!blind.ok())
            return fail(blind.error());
        if (!blind->isEmpty())
            emit noticed(placesOfCheckpoints(*m_plan.spec));
        for (const QString& host : *blind)
            m_weightNodes << static_cast<int>(m_group.hosts().indexOf(host));
        sendWeights();
    };
    findHostsWithoutSharedFolder(m_group, m_runId, judgement().nodesWithRanks(), this, then);
}

/// To the head, whose ranks pass them on where each holds the whole model, and to the hosts that do not see
/// its folder where each holds a part. One after another.
void StartOperation::sendWeights()
{
    if (m_weightFiles.empty() || m_weightNodes.isEmpty())
        return launch();
    if (!enter("reading the weights to send"))
        return;
    const int node = m_weightNodes.takeFirst();
    m_upload = std::make_unique<WeightsUpload>(m_group.target(node), m_runId, m_weightFiles);
    connect(m_upload.get(), &WeightsUpload::progress, this,
            [this, host = m_group.hosts()[node]](qint64 bytes, qint64 total) {
                emit progress("sending the weights to " + host,
                              double(bytes) / double(std::max<qint64>(total, 1)));
            });
    connect(m_upload.get(), &WeightsUpload::finished, this, [this](const Status& sent) {
        m_upload.release()->deleteLater(); // we are in its signal
        if (!sent.ok())
            return fail(sent.error());
        sendWeights();
    });
    m_upload->start();
}

QJsonArray StartOperation::nodesForLaunch() const
{
    QJsonArray nodes;
    if (m_plan.slurm) {
        for (const int slotCount : m_plan.slotCounts)
            nodes << QJsonObject{{"host", nameForMpi(m_group.hosts()[0])}, {"slots", slotCount}};
        return nodes;
    }
    for (int node = 0; node < m_group.size(); ++node) {
        const QJsonObject& probe = m_probes[static_cast<std::size_t>(node)];
        const auto agent = m_group.target(node).agent();
        nodes << QJsonObject{{"host", nameForMpi(m_group.hosts()[node])},
                             {"slots", m_plan.slotCounts.value(node, 1)},
                             {"cores", probe.value("cpu").toObject().value("cores").toInt()},
                             {"root", agent ? agent->root : QString()}};
    }
    return nodes;
}

void StartOperation::launch()
{
    if (!enter(m_plan.slurm ? "submitting the job" : "starting the run"))
        return;
    QJsonObject request{{"op", "launch"},
                        {"run", m_runId},
                        {"attempt", qint64{m_plan.run.attempt}},
                        {"nodes", nodesForLaunch()},
                        {"known_hosts", knownHostsOf(m_group.targets().mid(1))}};
    if (m_plan.run.bundle == kInstalled)
        request.insert("programs", programFolder());
    else
        request.insert("bundle", m_plan.run.bundle);
    if (m_group.size() > 1 && !m_found.interface.isEmpty())
        request.insert("interface", m_found.interface);
    if (m_group.size() > 1 && m_plan.network.firstPort > 0) {
        request.insert("first_port", m_plan.network.firstPort);
        request.insert("last_port", m_plan.network.lastPort);
    }
    if (m_group.size() > 1 && m_found.ipv6)
        request.insert("ipv6", true);
    if (const QJsonObject variables = variablesForNccl(m_found); m_group.size() > 1 && !variables.isEmpty())
        request.insert("environment", variables);
    if (const int least = judgement().leastReplicas(); least > 0)
        request.insert("least_replicas", least);
    if (m_plan.learningRate > 0)
        request.insert("learning_rate", m_plan.learningRate);
    if (m_plan.step)
        request.insert("step", *m_plan.step);
    if (!m_plan.layout.empty())
        request.insert("layout", QString::fromStdString(m_plan.layout));
    m_isOnHosts = true;
    m_awaited = {m_plan.run.head()};
    m_group.target(0).call(request, this, [this](const Result<QJsonObject>& reply) { onAnswered(reply); });
}

void StartOperation::onAnswered(const Result<QJsonObject>& reply)
{
    const bool isUnknown = !reply.ok() && m_group.target(0).state() != Target::State::Ready;
    if (m_plan.resume)
        m_isOnHosts = reply.ok() || isUnknown; // a refused resume leaves alone what is there
    if (!goesOnAfterAnswer())
        return;
    if (reply.ok())
        onLaunched(*reply);
    else if (isUnknown)
        launchAgain();
    else
        fail(reply.error());
}

/// The link broke, perhaps after the run was started. To ask once more changes nothing then, and to take the
/// run back would pull its folders from under it.
void StartOperation::launchAgain()
{
    const auto then = [this](const Status& ready) {
        if (ready.ok())
            launch();
        else if (m_state == State::Starting)
            finish(
                ready.error().in("the connection broke while the run was being started; it may be running"));
    };
    // Later: the target has yet to report this very break, which is no failure of the next attempt.
    QTimer::singleShot(0, this, [this, then] { m_group.whenReady(then); });
}

void StartOperation::onLaunched(const QJsonObject& reply)
{
    if (!m_plan.slurm)
        return attend();
    emit noticed(QString("Slurm job %1 on %2").arg(reply.value("job").toString(), m_plan.run.head()));
    succeed();
}

/// Samples of the devices are welcome, not needed: a host that refuses them does not end the run.
void StartOperation::attend()
{
    const auto request = [this](int node) {
        return QJsonObject{
            {"op", "attend"}, {"run", m_runId}, {"node", node}, {"attempt", qint64{m_plan.run.attempt}}};
    };
    askAll(request, [this](const HostGroup::Answers& answers) {
        if (const Status all = allOf(answers); !all.ok())
            emit noticed("device samples will be missing: " + QString::fromStdString(all.error().text()));
        succeed();
    });
}

void StartOperation::askAll(const std::function<QJsonObject(int)>& request,
                            std::function<void(const HostGroup::Answers&)> then)
{
    m_isOnHosts = true;
    m_awaited = m_group.hosts();
    m_group.callAll(request, [this, then = std::move(then)](const HostGroup::Answers& answers) {
        if (goesOnAfterAnswer())
            then(answers);
    });
}

/// Where the start has ended meanwhile, what the hosts did is known now and can be taken back.
bool StartOperation::goesOnAfterAnswer()
{
    m_awaited.clear();
    if (m_state == State::RollingBack)
        rollBack();
    return m_state == State::Starting;
}

void StartOperation::cancel()
{
    fail(cancelled("starting " + m_runId.toStdString() + " was cancelled"));
}

void StartOperation::fail(const Error& error)
{
    if (m_state != State::Starting)
        return;
    m_state = State::RollingBack;
    m_failure = error;
    // We may be in a signal of these.
    if (m_preflight)
        m_preflight.release()->deleteLater();
    if (m_deployment)
        m_deployment.release()->deleteLater();
    if (m_supply)
        m_supply.release()->deleteLater();
    if (m_upload)
        m_upload.release()->deleteLater();
    if (m_awaited.isEmpty())
        return rollBack();
    QTimer::singleShot(kAnswerPatience, this, [this] { rollBack(); });
}

void StartOperation::rollBack()
{
    if (m_rollback)
        return;
    if (!m_isOnHosts)
        return onRolledBack({});
    emit progress("rolling back the launch", -1);
    m_rollback = std::make_unique<Rollback>(m_plan.run, m_targets, nullptr);
    m_rollback->start(m_plan.resume ? Rollback::Leave::Run : Rollback::Leave::Nothing,
                      [this, silent = m_awaited](const Status& gone) {
                          // What they were asked for and did not answer in time may be done behind the
                          // removal.
                          onRolledBack(gone.ok() && !silent.isEmpty() ? noAnswerFrom(silent) : gone);
                      });
}

void StartOperation::onRolledBack(const Status& gone)
{
    if (!gone.ok())
        return finish(withRemains(*m_failure, gone.error()));
    std::error_code ignored;
    if (!m_plan.resume)
        std::filesystem::remove_all(runDir(m_runId), ignored);
    finish(*m_failure);
}

void StartOperation::succeed()
{
    if (m_state == State::Starting)
        finish(m_runId);
}

void StartOperation::finish(const Result<QString>& result)
{
    m_state = State::Over;
    RunOperation::finish(result);
}

} // namespace trainyard
