#include "remote/launch/start_operation.h"

#include <filesystem>

#include <QJsonArray>
#include <QJsonDocument>
#include <QTimer>

#include "engine/base/file.h"
#include "engine/spec/layout_change.h"
#include "remote/launch/inventory.h"
#include "remote/launch/launch_message.h"
#include "remote/launch/shared_run_folder.h"
#include "remote/preflight/node_names.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// For answers under way when the start is taken back.
constexpr std::chrono::seconds kAnswerPatience{15};

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

} // namespace

StartOperation::StartOperation(StartPlan plan, TargetPool& targets, QObject* parent)
    : RunOperation(parent)
    , m_plan(std::move(plan))
    , m_targets(targets)
    , m_group(m_plan.run.hosts, targets)
    , m_preparation(m_plan, m_group, targets)
{
    m_runId = m_plan.run.id;
    connect(&m_preparation, &StartPreparation::progress, this, &StartOperation::progress);
    connect(&m_preparation, &StartPreparation::planned, this, &StartOperation::planned);
    connect(&m_preparation, &StartPreparation::noticed, this, &StartOperation::noticed);
    connect(&m_preparation, &StartPreparation::dataOffered, this, &StartOperation::dataOffered);
    connect(&m_preparation, &StartPreparation::finished, this, [this](const Status& prepared) {
        if (!prepared.ok())
            return fail(prepared.error());
        keep();
    });
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
        if (m_state == State::Starting)
            m_preparation.start();
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

void StartOperation::keep()
{
    if (m_state != State::Starting)
        return;
    if (const Status kept = keepOnDesk(); !kept.ok())
        return fail(kept.error());
    if (m_plan.resume && !m_plan.moves)
        findSharedFolder();
    else
        makeRun();
}

Status StartOperation::keepOnDesk()
{
    if (m_plan.resume) {
        TRAINYARD_TRY(m_before, loadDeskRun(m_runId));
        return saveDeskRun(m_plan.run);
    }
    TRAINYARD_TRY_STATUS(saveDeskRun(m_plan.run));
    const auto folder = runDir(m_runId);
    const auto document = folder / documentOf(m_plan.run.kind).toStdString();
    TRAINYARD_TRY_STATUS(writeFileAtomically(document, m_plan.document.toStdString()));
    return m_plan.run.kind == RunKind::Train ? m_preparation.dataSets().keep(folder, *m_plan.spec) : Status();
}

void StartOperation::makeRun()
{
    if (!enter("creating the run on every host"))
        return;
    const RunKind kind = m_plan.run.kind;
    m_inventory = inventoryOf(m_group.hosts(), m_plan.run.allHosts(), m_preparation.probes(),
                              m_plan.run.bundle, m_preparation.found());
    if (const Status kept = m_plan.resume ? Status() : keepInventory(); !kept.ok())
        return fail(kept.error());
    const auto request = [this, kind](int node) {
        return QJsonObject{{"op", "create-run"},
                           {"run", m_runId},
                           {"kind", nameOf(kind)},
                           {kind == RunKind::Prepare ? "job" : "spec", QString::fromUtf8(m_plan.document)},
                           {"inventory", m_inventory},
                           {"node", node}};
    };
    askAll(request, [this](const HostGroup::Answers& answers) {
        if (const Status all = allOf(answers); !all.ok())
            return fail(all.error());
        findSharedFolder();
    });
}

/// Reports made without a link say what the hosts were.
Status StartOperation::keepInventory()
{
    return writeFileAtomically(runDir(m_runId) / "inventory.json",
                               QJsonDocument(m_inventory).toJson().toStdString());
}

/// The ranks find it out too; whoever launches is told before. The nodes of a batch job share the agent's
/// folder.
void StartOperation::findSharedFolder()
{
    const bool trains = m_plan.spec && m_plan.run.kind == RunKind::Train && !m_plan.slurm;
    if (!trains || everyRankHoldsAll(*m_plan.spec) || m_preparation.judgement().nodesWithRanks() < 2)
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
    findHostsWithoutSharedFolder(m_group, m_runId, m_preparation.judgement().nodesWithRanks(), this, then);
}

/// To the head, whose ranks pass them on where each holds the whole model, and to the hosts that do not see
/// its folder where each holds a part.
void StartOperation::sendWeights()
{
    RunWeights* weights = m_preparation.weights();
    if (!weights || !weights->mustBeSent())
        return launch();
    if (m_state != State::Starting)
        return;
    connect(weights, &RunWeights::progress, this, &StartOperation::progress);
    weights->send(m_weightNodes, [this](const Status& sent) {
        if (!sent.ok())
            return fail(sent.error());
        launch();
    });
}

void StartOperation::launch()
{
    if (!enter(m_plan.slurm ? "submitting the job" : "starting the run"))
        return;
    const QJsonObject message = launchMessage(m_plan, m_group, m_preparation.found(), m_preparation.probes(),
                                              m_preparation.judgement().leastReplicas());
    m_isOnHosts = true;
    m_awaited = {m_plan.run.head()};
    m_group.target(0).call(message, this, [this](const Result<QJsonObject>& reply) { onAnswered(reply); });
}

void StartOperation::onAnswered(const Result<QJsonObject>& reply)
{
    const bool isUnknown = !reply.ok() && m_group.target(0).state() != Target::State::Ready;
    if (m_plan.resume)
        m_isOnHosts = reply.ok() || isUnknown; // a refused resume leaves alone what is there
    if (reply.ok())
        m_before.reset();
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
    if (m_plan.moves) {
        if (const Status kept = keepInventory(); !kept.ok())
            emit noticed(QString::fromStdString(kept.error().text()));
    }
    if (!m_plan.slurm)
        return attend();
    emit noticed(QString("Slurm job %1 on %2").arg(reply.value("job").toString(), m_plan.run.head()));
    succeed();
}

/// Samples of the devices are welcome, not needed: a host that refuses them does not end the run.
void StartOperation::attend()
{
    const auto request = [this](int node) {
        return QJsonObject{{"op", "attend"},
                           {"run", m_runId},
                           {"node", m_plan.run.allHosts().indexOf(m_group.hosts()[node])},
                           {"attempt", qint64{m_plan.run.attempt}}};
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
    m_isOnHosts = m_isOnHosts || !m_plan.resume; // where the run was before, it stays
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

void StartOperation::acceptOffer()
{
    m_preparation.acceptOffer();
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
    m_preparation.abandon();
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
    if (m_before && !m_isOnHosts) {
        if (const Status restored = saveDeskRun(*m_before); !restored.ok())
            return finish(withRemains(*m_failure, restored.error()));
    }
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
