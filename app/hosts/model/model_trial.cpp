#include "app/hosts/model/model_trial.h"

#include <utility>

#include "engine/generation/options/try_command_line.h"

namespace trainyard {

namespace {

const QString kCommand = QStringLiteral("try");

/// It writes nothing that could be left in the middle.
constexpr StopOptions kStopAtOnce{.checkpoint = false, .grace = std::chrono::milliseconds(0)};

} // namespace

ModelTrial::ModelTrial(RunService& runs, const QString& host, TryOptions options, QObject* parent)
    : QObject(parent), m_runs(runs), m_job(runs, host), m_options(std::move(options))
{
    connect(&m_job, &RemoteJob::startProgress, this, &ModelTrial::progress);
    connect(&m_job, &RemoteJob::launched, this,
            [this] { emit progress(tr("loading the model on %1").arg(m_job.host()), -1); });
    connect(&m_job, &RemoteJob::answered, this, &ModelTrial::answered);
    connect(&m_job, &RemoteJob::noticed, this, &ModelTrial::noticed);
    connect(&m_job, &RemoteJob::stopFailed, this, [this](const Error& error) { onFinished(error); });
    connect(&m_job, &RemoteJob::finished, this, &ModelTrial::onFinished);
}

void ModelTrial::start()
{
    QStringList arguments;
    for (const std::string& word : tryArguments(m_options))
        arguments << QString::fromStdString(word);
    m_job.launch({.command = kCommand, .name = kCommand, .arguments = arguments});
}

void ModelTrial::cancel()
{
    m_job.cancel(kStopAtOnce);
}

/// Once the job has begun, its failures are those of the command: something that it was given is wrong.
/// After a host that could not be reached for stopping it may still report the job's end.
void ModelTrial::onFinished(const Status& status)
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
