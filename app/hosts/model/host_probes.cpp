#include "app/hosts/model/host_probes.h"

#include <chrono>
#include <utility>

#include <QPointer>
#include <QTimer>

#include "app/base/display_text.h"
#include "engine/planner/calibration/probe_json.h"

namespace trainyard {

namespace {

const QString kStage = QStringLiteral("probe"); ///< of the job's stream

constexpr std::chrono::seconds kPatience{10}; ///< until the job is removed from its hosts

} // namespace

HostProbes::HostProbes(RunService& runs, RunSpec spec, QObject* parent)
    : QObject(parent)
    , m_runs(runs)
    , m_spec(std::move(spec))
    , m_job(runs, QString::fromStdString(m_spec.cluster.nodes.front().host))
{
    connect(&m_job, &RemoteJob::startProgress, this, &HostProbes::progress);
    connect(&m_job, &RemoteJob::progressed, this, &HostProbes::onProgressed);
    connect(&m_job, &RemoteJob::linkChanged, this, [this](LinkState link) {
        if (link == LinkState::Lost)
            emit progress(tr("link to %1 lost; the probes continue there").arg(m_job.host()), -1);
    });
    connect(&m_job, &RemoteJob::stopFailed, this, [this](const Error& error) { clearUp(error); });
    connect(&m_job, &RemoteJob::finished, this, &HostProbes::onFinished);
}

QStringList HostProbes::hosts() const
{
    QStringList hosts;
    for (const NodeSpec& node : m_spec.cluster.nodes)
        hosts << QString::fromStdString(node.host);
    return hosts;
}

void HostProbes::start()
{
    m_job.launchProbe(m_spec);
}

void HostProbes::cancel()
{
    m_job.cancel(kStopAtOnce);
}

void HostProbes::onProgressed()
{
    for (const Stage& stage : m_job.progress().stages()) {
        if (stage.name != kStage)
            continue;
        const QString left =
            stage.secondsLeft >= 0 ? tr(", %1 left").arg(displaySeconds(stage.secondsLeft)) : QString();
        emit progress(stage.doneText() + left, stage.fraction());
    }
}

void HostProbes::onFinished(const Status& status)
{
    if (!status.ok())
        return clearUp(status.error());
    m_runs.readRunFile(m_job.host(), m_job.runId(), QStringLiteral("probes.json"), this,
                       [this](const Result<QByteArray>& report) {
                           clearUp(report.ok() ? parseProbeReport(report->toStdString())
                                               : Result<ProbeReport>(report.error()));
                       });
}

/// Who is gone keeps a few KiB, and is not waited for.
void HostProbes::clearUp(const Result<ProbeReport>& result)
{
    if (m_job.runId().isEmpty())
        return answer(result);
    m_runs.removeRun(m_job.runId(), hosts(), [self = QPointer(this), result](const Status&) {
        if (self)
            self->answer(result);
    });
    QTimer::singleShot(kPatience, this, [this, result] { answer(result); });
}

void HostProbes::answer(const Result<ProbeReport>& result)
{
    if (!std::exchange(m_answered, true))
        emit finished(result);
}

} // namespace trainyard
