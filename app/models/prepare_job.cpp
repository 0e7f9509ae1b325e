#include "app/models/prepare_job.h"

#include <variant>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/models/run_folder.h"
#include "engine/base/file.h"
#include "remote/target/desk_folders.h"

namespace trainyard {

namespace {

/// What the job was asked to do, as the desk wrote it down when it launched it.
std::optional<PrepareOptions> optionsOf(const QString& runId)
{
    const auto run = loadDeskRun(runId);
    const auto job = readFile(deskRunFolder(runId) / "job.json");
    if (!run.ok() || !job.ok())
        return std::nullopt;
    QStringList arguments;
    for (const auto& argument :
         QJsonDocument::fromJson(QByteArray::fromStdString(*job)).object()["arguments"].toArray())
        arguments << argument.toString();
    return fromPrepareArguments(run->head(), arguments);
}

bool isUnfinished(const QString& runId)
{
    const auto records = readRunSeries(QString::fromStdString(deskRunFolder(runId).string()));
    return records.ok() && !isFinal(records->status().state);
}

} // namespace

PrepareJob::PrepareJob(RunService& runs, QObject* parent) : QObject(parent), m_runs(runs) {}

PrepareJob::~PrepareJob() = default;

void PrepareJob::begin(const PrepareOptions& options)
{
    m_options = options;
    m_progress = {};
    m_lastError.clear();
    m_run.clear();
    setState(State::Starting);
}

void PrepareJob::start(const PrepareOptions& options)
{
    TRAINYARD_CHECK(m_state == State::Idle);
    begin(options);
    m_launch = m_runs.launchPrepare(options.host, jobName(options), prepareArguments(options));
    connect(m_launch, &RunOperation::progress, this, &PrepareJob::startProgress);
    connect(m_launch, &RunOperation::finished, this, &PrepareJob::onLaunched);
}

void PrepareJob::follow(const QString& runId)
{
    const auto options = optionsOf(runId);
    if (m_state != State::Idle || !options)
        return;
    begin(*options);
    watch(runId);
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
    if (m_state == State::Starting && m_launch) {
        m_launch->cancel();
    } else if (m_state == State::Running) {
        setState(State::Stopping);
        RunOperation* stop = m_runs.stop(m_run);
        connect(stop, &RunOperation::finished, this, &PrepareJob::onStopped);
    }
}

void PrepareJob::onStopped(const Result<QString>& result)
{
    if (m_state != State::Stopping)
        return; // its own last record came first
    if (result.ok())
        return finish(cancelled("preparing was cancelled; nothing was published"));
    if (result.error().kind != ErrorKind::Unreachable)
        return finish(result.error());
    setState(State::Running);
    emit noticed(QString::fromStdString(result.error().text()));
}

void PrepareJob::onLaunched(const Result<QString>& run)
{
    if (run.ok())
        watch(*run);
    else
        finish(run.error());
}

void PrepareJob::watch(const QString& runId)
{
    m_run = runId;
    setState(State::Running);
    m_follower = std::make_unique<RunFollower>(m_run, QStringList{m_options.host}, m_runs.targets());
    connect(m_follower.get(), &RunFollower::recordsArrived, this, &PrepareJob::onRecords);
    connect(m_follower.get(), &RunFollower::linkChanged, this, &PrepareJob::linkChanged);
    m_follower->start();
}

void PrepareJob::onRecords(const QString&, const std::vector<Record>& records)
{
    for (const Record& record : records) {
        if (const auto* step = std::get_if<ProgressRecord>(&record.payload))
            m_progress.apply(*step);
        else if (const auto* event = std::get_if<EventRecord>(&record.payload)) {
            if (event->severity == Severity::Error)
                m_lastError = QString::fromStdString(event->message);
            else if (event->severity == Severity::Warning)
                emit noticed(QString::fromStdString(event->message));
        } else if (const auto* state = std::get_if<StateRecord>(&record.payload)) {
            onRunState(*state);
        }
    }
    emit progressed();
}

void PrepareJob::onRunState(const StateRecord& record)
{
    if (m_state == State::Idle || !isFinal(record.state))
        return;
    if (record.state == RunState::Finished) {
        m_progress.finish();
        finish(m_options);
    } else if (record.state == RunState::Stopped) {
        finish(cancelled("preparing was cancelled; nothing was published"));
    } else {
        const std::string why = m_lastError.isEmpty() ? record.reason : m_lastError.toStdString();
        finish(failed(why.empty() ? "preparing failed" : why));
    }
}

void PrepareJob::finish(const Result<PrepareOptions>& result)
{
    if (m_follower)
        m_follower.release()->deleteLater(); // its signal may be what brought us here
    setState(State::Idle);
    emit finished(result);
}

void PrepareJob::setState(State state)
{
    m_state = state;
    emit stateChanged(state);
}

} // namespace trainyard
