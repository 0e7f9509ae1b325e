#include "remote/launch/start_preparation.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <QJsonArray>

#include "engine/spec/spec_json.h"
#include "remote/launch/data_job_needs.h"
#include "remote/launch/resumable_run.h"

namespace trainyard {

namespace {

/// Long enough to see a slow link, too short to disturb other runs on the network.
constexpr std::chrono::milliseconds kLinkMeasurement{300};

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

StartPreparation::StartPreparation(StartPlan& plan, HostGroup& hosts, TargetPool& targets)
    : m_plan(plan), m_hosts(hosts), m_targets(targets)
{
}

void StartPreparation::start()
{
    if (m_plan.resume)
        findAttempt();
    else
        inspect();
}

bool StartPreparation::enter(const QString& stage)
{
    if (!m_isOver)
        emit progress(stage, -1);
    return !m_isOver;
}

void StartPreparation::findAttempt()
{
    m_hosts.target(0).call({{"op", "runs"}}, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return finish(reply.error());
        const auto attempt = nextAttemptOf(m_plan.run.id, reply->value("runs").toArray(), m_plan.run.head());
        if (!attempt.ok())
            return finish(attempt.error());
        m_plan.run.attempt = *attempt;
        inspect();
    });
}

void StartPreparation::inspect()
{
    if (m_isOver)
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
    connect(m_preflight.get(), &Preflight::finished, this, &StartPreparation::onInspected);
    m_preflight->start();
}

void StartPreparation::onInspected(const PreflightReport& report)
{
    if (m_isOver)
        return;
    if (const Status fit = report.judge(); !fit.ok())
        return finish(fit.error());
    m_found = report;
    for (const QString& use : usedByOthers(report))
        emit noticed(use);
    for (const QString& host : m_hosts.hosts()) {
        const auto found = std::find_if(report.hosts.begin(), report.hosts.end(),
                                        [&](const HostReport& one) { return one.host == host; });
        m_probes.push_back(found->facts.raw);
    }
    if (m_plan.slurm && !m_plan.resume)
        askSlurm();
    else
        chooseEngine();
}

void StartPreparation::askSlurm()
{
    if (!enter("asking Slurm"))
        return;
    const QJsonObject request{{"op", "slurm-check"}, {"spec", QString::fromUtf8(m_plan.document)}};
    m_hosts.target(0).call(request, this, [this](const Result<QJsonObject>& reply) {
        if (!reply.ok())
            return finish(reply.error());
        m_jobRequestsGpus = reply->value("gpus").toBool();
        chooseEngine();
    });
}

void StartPreparation::chooseEngine()
{
    if (m_isOver)
        return;
    if (isHere(m_plan.run.hosts)) {
        m_plan.run.bundle = kInstalledPrograms;
    } else {
        const BundleParts parts{.cuda = m_plan.slurm ? m_jobRequestsGpus : judgement().usesDevices(),
                                .tables =
                                    m_plan.run.kind == RunKind::Prepare && mayReadTables(m_plan.document)};
        EngineDeployment::Plan plan{m_hosts.targets(), parts, {}, uploadRate(m_found.hosts)};
        if (m_plan.resume)
            plan.earlier = m_plan.run.bundle;
        m_deployment = std::make_unique<EngineDeployment>(std::move(plan));
        const auto bundle = m_deployment->choose();
        if (!bundle.ok())
            return finish(bundle.error());
        m_plan.run.bundle = *bundle;
    }
    if (m_plan.spec && m_plan.run.kind == RunKind::Train)
        findDataSet();
    else
        deploy();
}

/// Better known now than by the first rank that opens it. What a resumed run reads is settled, but with
/// another layout hosts get ranks that had none.
void StartPreparation::findDataSet()
{
    DataSetSupply::Plan plan{*m_plan.spec, m_hosts.hosts().mid(0, judgement().nodesWithRanks()),
                             m_plan.sendData, uploadRate(m_found.hosts), !m_plan.resume};
    m_supply = std::make_unique<DataSetSupply>(std::move(plan), m_targets);
    connect(m_supply.get(), &DataSetSupply::progress, this, &StartPreparation::progress);
    connect(m_supply.get(), &DataSetSupply::noticed, this, &StartPreparation::noticed);
    connect(m_supply.get(), &DataSetSupply::offered, this, &StartPreparation::dataOffered);
    connect(m_supply.get(), &DataSetSupply::finished, this, &StartPreparation::onDataSets);
    m_supply->start();
}

void StartPreparation::onDataSets(const Result<SuppliedDataSets>& supplied)
{
    if (m_supply)
        m_supply.release()->deleteLater(); // we are in its signal
    if (m_isOver)
        return;
    if (!supplied.ok())
        return finish(supplied.error());
    m_dataSets = supplied->dataSets;
    if (supplied->moved) {
        m_plan.spec = supplied->spec;
        m_plan.document = QByteArray::fromStdString(toJson(supplied->spec));
    }
    judge();
}

void StartPreparation::acceptOffer()
{
    if (m_supply)
        m_supply->acceptOffer();
}

void StartPreparation::judge()
{
    const auto remark = [this](const QString& text) { emit noticed(text); };
    if (const Status able = judgement().judge(m_dataSets, remark); !able.ok())
        return finish(able.error());
    findWeights();
}

/// Better known now than by ranks that have all started. A resumed run has its own checkpoints.
void StartPreparation::findWeights()
{
    if (!m_plan.spec->init.isOn() || m_plan.resume)
        return deploy();
    m_weights = std::make_unique<RunWeights>(*m_plan.spec, m_plan.run.id, m_hosts);
    m_weights->find([this](const Result<QString>& remark) {
        if (!remark.ok())
            return finish(remark.error());
        if (!remark->isEmpty())
            emit noticed(*remark);
        deploy();
    });
}

/// Last: whatever refuses the run has done so before half a GiB is sent.
void StartPreparation::deploy()
{
    if (m_isOver)
        return;
    if (!m_deployment)
        return finish({});
    connect(m_deployment.get(), &EngineDeployment::planned, this, &StartPreparation::planned);
    connect(m_deployment.get(), &EngineDeployment::progress, this, &StartPreparation::progress);
    connect(m_deployment.get(), &EngineDeployment::noticed, this, &StartPreparation::noticed);
    connect(m_deployment.get(), &EngineDeployment::finished, this, &StartPreparation::finish);
    m_deployment->start();
}
void StartPreparation::abandon()
{
    m_isOver = true;
    // We may be in a signal of these.
    if (m_preflight)
        m_preflight.release()->deleteLater();
    if (m_deployment)
        m_deployment.release()->deleteLater();
    if (m_supply)
        m_supply.release()->deleteLater();
    if (m_weights)
        m_weights.release()->deleteLater();
}

void StartPreparation::finish(const Status& result)
{
    if (std::exchange(m_isOver, true))
        return;
    emit finished(result);
}

} // namespace trainyard
