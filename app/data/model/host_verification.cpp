#include "app/data/model/host_verification.h"

namespace trainyard {

namespace {

const QString kName = QStringLiteral("verify");

} // namespace

HostVerification::HostVerification(RunService& runs, const QString& host, QStringList arguments,
                                   QObject* parent)
    : QObject(parent), m_runs(runs), m_job(runs, host), m_arguments(std::move(arguments))
{
    connect(&m_job, &RemoteJob::startProgress, this, &HostVerification::progress);
    connect(&m_job, &RemoteJob::progressed, this, &HostVerification::onProgressed);
    connect(&m_job, &RemoteJob::linkChanged, this, [this](LinkState link) {
        if (link == LinkState::Lost)
            emit progress(tr("link to %1 lost; the check continues there").arg(m_job.host()), -1);
    });
    connect(&m_job, &RemoteJob::stopFailed, this, [this](const Error& error) { answer(error); });
    connect(&m_job, &RemoteJob::finished, this, &HostVerification::onFinished);
}

void HostVerification::start()
{
    m_job.launch({.command = kName, .name = kName, .arguments = m_arguments});
}

void HostVerification::cancel()
{
    m_job.cancel(kStopAtOnce);
}

void HostVerification::abandon()
{
    disconnect();
    connect(this, &HostVerification::finished, this, &QObject::deleteLater);
    cancel();
}

void HostVerification::onProgressed()
{
    for (const Stage& stage : m_job.progress().stages()) {
        if (stage.name == kName)
            emit progress(tr("%1 checked on %2").arg(stage.doneText(), m_job.host()), stage.fraction());
    }
}

void HostVerification::onFinished(const Status& status)
{
    if (m_job.runId().isEmpty() || (!status.ok() && status.error().kind == ErrorKind::Cancelled))
        return answer(status.error());
    const std::optional<Error> error =
        status.ok() ? std::nullopt
                    : std::optional<Error>(badInput(status.error().message, status.error().hint));
    m_runs.readRunFile(m_job.host(), m_job.runId(), QStringLiteral("report"), this,
                       [this, error](const Result<QByteArray>& report) {
                           if (!report.ok() && !error)
                               return answer(report.error());
                           answer(VerifyAnswer{report.ok() ? *report : QByteArray(), error});
                       });
}

void HostVerification::answer(const Result<VerifyAnswer>& result)
{
    if (!m_job.runId().isEmpty())
        m_runs.removeRun(m_job.runId(), {m_job.host()},
                         [](const Status&) {}); // a host that is gone keeps a few KiB
    emit finished(result);
}

} // namespace trainyard
