#include "app/hosts/model/model_job.h"

#include <algorithm>
#include <utility>

#include "app/base/display_text.h"

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
    connect(&m_job, &RemoteJob::progressed, this, &ModelJob::showProgress);
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

void ModelJob::showProgress()
{
    const auto& stages = m_job.progress().stages();
    const auto current =
        std::ranges::find_if(stages, [](const Stage& stage) { return stage.started && !stage.finished; });
    if (current == stages.end())
        return;
    QString text = tr("evaluating on %1: %2").arg(m_job.host(), current->doneText());
    if (current->secondsLeft >= 0)
        text = tr("%1, %2 left").arg(text, displaySeconds(current->secondsLeft));
    emit progress(text, current->fraction());
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
