#include "app/hosts/model/remote_job.h"

#include <utility>
#include <variant>

namespace trainyard {

namespace {
const QString kSupervisorStream = QStringLiteral("run");
}

RemoteJob::RemoteJob(RunService& runs, QString host, QObject* parent)
    : QObject(parent), m_runs(runs), m_host(std::move(host))
{
}

RemoteJob::~RemoteJob() = default;

void RemoteJob::launch(const DataJob& job)
{
    await(m_runs.launchData(m_host, job));
}

void RemoteJob::launchProbe(const RunSpec& spec)
{
    await(m_runs.launchProbe(spec));
}

void RemoteJob::await(RunOperation* launch)
{
    m_launch = launch;
    connect(m_launch, &RunOperation::progress, this, &RemoteJob::startProgress);
    connect(m_launch, &RunOperation::finished, this, &RemoteJob::onLaunched);
}

void RemoteJob::onLaunched(const Result<QString>& run)
{
    if (!run.ok())
        return finish(run.error());
    follow(*run);
    if (m_cancelled)
        cancel(*m_cancelled); // it was too late to take the launch back
}

void RemoteJob::follow(const QString& runId)
{
    m_run = runId;
    m_follower = std::make_unique<RunFollower>(m_run, QStringList{m_host}, m_runs.targets());
    connect(m_follower.get(), &RunFollower::recordsArrived, this,
            [this](const QString& stream, const std::vector<Record>& records) {
                onRecords(records, stream == kSupervisorStream);
            });
    connect(m_follower.get(), &RunFollower::linkChanged, this, &RemoteJob::linkChanged);
    connect(m_follower.get(), &RunFollower::finished, this, &RemoteJob::onAllRecordsHere);
    m_follower->start();
    emit launched();
}

void RemoteJob::cancel(const StopOptions& options)
{
    m_cancelled = options;
    if (m_run.isEmpty() && m_launch)
        m_launch->cancel();
    else if (!m_run.isEmpty() && !m_ended)
        connect(m_runs.stop(m_run, options), &RunOperation::finished, this, &RemoteJob::onStopped);
}

void RemoteJob::onStopped(const Result<QString>& result)
{
    if (m_ended || m_isDone)
        return; // its own last record came first
    if (result.ok())
        return finish(cancelled("the job was cancelled; nothing was published"));
    if (result.error().kind != ErrorKind::Unreachable)
        return finish(result.error());
    m_cancelled.reset();
    emit stopFailed(result.error());
}

void RemoteJob::onRecords(const std::vector<Record>& records, bool areSupervisors)
{
    for (const Record& record : records) {
        if (const auto* step = std::get_if<ProgressRecord>(&record.payload))
            m_progress.apply(*step);
        else if (const auto* event = std::get_if<EventRecord>(&record.payload))
            onEvent(*event, areSupervisors);
        else if (const auto* state = std::get_if<StateRecord>(&record.payload);
                 state && isFinal(state->state))
            onEnd(*state);
    }
    if (!m_ended)
        emit progressed();
}

void RemoteJob::onEvent(const EventRecord& event, bool isSupervisors)
{
    const bool isError = event.severity == Severity::Error;
    if (isError && isSupervisors)
        return; // its last state says the same
    if (isError)
        m_lastError = QString::fromStdString(event.message);
    else if (event.severity == Severity::Warning)
        emit noticed(QString::fromStdString(event.message));
    else if (event.kind == "answer")
        emit answered(QString::fromStdString(event.message));
}

/// Also the warnings of a job that is done, and why one failed in its own words: they come in another stream
/// than the supervisor's word.
void RemoteJob::onAllRecordsHere()
{
    if (m_ended)
        return;
    if (m_failure)
        return finish(failed(m_lastError.isEmpty() ? *m_failure : m_lastError.toStdString()));
    if (!m_isDone)
        return;
    m_progress.finish();
    finish({});
}

void RemoteJob::onEnd(const StateRecord& record)
{
    if (m_ended)
        return;
    if (record.state == RunState::Finished) {
        m_isDone = true;
    } else if (record.state == RunState::Stopped) {
        finish(cancelled("the job was cancelled; nothing was published"));
    } else {
        m_failure = record.reason.empty() ? "the job failed" : record.reason;
        if (!m_lastError.isEmpty())
            onAllRecordsHere();
    }
}

void RemoteJob::finish(const Status& status)
{
    if (std::exchange(m_ended, true))
        return;
    if (m_follower)
        m_follower.release()->deleteLater(); // its signal may be what brought us here
    emit finished(status);
}

} // namespace trainyard
