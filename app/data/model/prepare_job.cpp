#include "app/data/model/prepare_job.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/runs/recorded_run.h"
#include "datasets/options/prepare_command_line.h"
#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

/// What the job was asked to do, as the desk wrote it down when it launched it.
std::optional<PrepareRequest> requestOfRun(const QString& runId)
{
    const auto run = loadDeskRun(runId);
    const auto job = readFile(runDir(runId) / "job.json");
    if (!run.ok() || !job.ok())
        return std::nullopt;
    const QJsonObject asked = QJsonDocument::fromJson(QByteArray::fromStdString(*job)).object();
    if (asked["command"].toString(QStringLiteral("prepare")) != QLatin1String("prepare"))
        return std::nullopt;
    QStringList arguments;
    for (const auto& argument : asked["arguments"].toArray())
        arguments << argument.toString();
    return requestOf(run->head(), arguments);
}

bool isUnfinished(const QString& runId)
{
    const auto records = readRunSeries(QString::fromStdString(runDir(runId).string()));
    return records.ok() && !isFinal(records->status().state);
}

} // namespace

PrepareJob::PrepareJob(RunService& runs, QObject* parent) : QObject(parent), m_runs(runs) {}

PrepareJob::~PrepareJob() = default;

void PrepareJob::begin(const PrepareRequest& request)
{
    m_request = request;
    m_progress = {};
    setState(State::Starting);
}

template <typename Job>
void PrepareJob::connectJob(Job& job)
{
    connect(&job, &Job::startProgress, this, &PrepareJob::startProgress);
    connect(&job, &Job::launched, this, [this] {
        if (m_state == State::Starting)
            setState(State::Running);
    });
    connect(&job, &Job::progressed, this, [this, &job] {
        m_progress = job.progress();
        emit progressed();
    });
    connect(&job, &Job::noticed, this, &PrepareJob::noticed);
    connect(&job, &Job::linkChanged, this, &PrepareJob::linkChanged);
    connect(&job, &Job::finished, this, &PrepareJob::finish);
}

RemoteJob& PrepareJob::makeJob()
{
    m_job = std::make_unique<RemoteJob>(m_runs, m_request.host);
    connectJob(*m_job);
    connect(m_job.get(), &RemoteJob::stopFailed, this, [this](const Error& error) {
        setState(State::Running);
        emit noticed(QString::fromStdString(error.text()));
    });
    return *m_job;
}

MultiHostPreparation& PrepareJob::makeMultiHost()
{
    m_multiHost = std::make_unique<MultiHostPreparation>(m_runs, m_request);
    connectJob(*m_multiHost);
    return *m_multiHost;
}

void PrepareJob::start(const PrepareRequest& request)
{
    TRAINYARD_CHECK(m_state == State::Idle);
    begin(request);
    if (request.readers.isEmpty())
        makeJob().launch({.name = jobName(request), .arguments = toStringList(prepareArguments(request))});
    else
        makeMultiHost().start();
}

void PrepareJob::follow(const QString& runId)
{
    const auto request = requestOfRun(runId);
    if (m_state != State::Idle || !request)
        return;
    begin(*request);
    makeJob().follow(runId);
}

void PrepareJob::pickUp()
{
    for (const DeskRun& run : deskRuns()) {
        if (run.kind == RunKind::Prepare && m_state == State::Idle && isUnfinished(run.id))
            follow(run.id);
    }
}

void PrepareJob::cancel()
{
    if (m_state == State::Running)
        setState(State::Stopping);
    if (m_job)
        m_job->cancel();
    if (m_multiHost)
        m_multiHost->cancel();
}

void PrepareJob::finish(const Status& status)
{
    m_progress = m_job ? m_job->progress() : m_multiHost->progress();
    if (m_job)
        m_job.release()->deleteLater(); // we are in its signal
    if (m_multiHost)
        m_multiHost.release()->deleteLater();
    setState(State::Idle);
    emit finished(status.ok() ? Result<PrepareRequest>(m_request) : Result<PrepareRequest>(status.error()));
}

void PrepareJob::setState(State state)
{
    m_state = state;
    emit stateChanged(state);
}

} // namespace trainyard
