#include "app/hosts/model/model_job.h"

#include <utility>

namespace trainyard {

ModelJob::ModelJob(RunService& runs, const QString& host, const QString& command,
                   const std::vector<std::string>& arguments, QObject* parent)
    : QObject(parent), m_runs(runs), m_job(runs, host), m_command(command)
{
    for (const std::string& word : arguments)
        m_arguments << QString::fromStdString(word);
    connect(&m_job, &RemoteJob::startProgress, this, &ModelJob::progress);
    connect(&m_job, &RemoteJob::launched, this,
            [this] { emit progress(tr("loading the model on %1").arg(m_job.host()), -1); });
    connect(&m_job, &RemoteJob::answered, this, &ModelJob::answered);
    connect(&m_job, &RemoteJob::noticed, this, &ModelJob::noticed);
    connect(&m_job, &RemoteJob::stopFailed, this, [this](const Error& error) { onFinished(error); });
    connect(&m_job, &RemoteJob::finished, this, &ModelJob::onFinished);
}

void ModelJob::start()
{
    m_job.launch({.command = m_command, .name = m_command, .arguments = m_arguments});
}

void ModelJob::cancel()
{
    m_job.cancel(kStopAtOnce);
}

/// Once the job has begun, its failures are those of the command: something that it was given is wrong.
/// After a host that could not be reached for stopping it may still report the job's end.
void ModelJob::onFinished(const Status& status)
{
    if (std::exchange(m_isOver, true))
        return;
    const bool hasBegun = !m_job.runId().isEmpty();
    if (hasBegun)
        m_runs.removeRun(m_job.runId(), {m_job.host()},
                         [](const Status&) {}); // a host that is gone keeps a few KiB
    const bool isItsOwn = hasBegun && !status.ok() && status.error().kind == ErrorKind::Failed;
    emit finished(isItsOwn ? Status(badInput(status.error().message, status.error().hint)) : status);
}

} // namespace trainyard
