#include "app/hosts/model/model_export.h"

#include <algorithm>
#include <utility>

#include <QPointer>

#include "app/base/display_text.h"
#include "app/base/this_machine.h"
#include "engine/base/file.h"
#include "remote/launch/run_folder_fetch.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Time to remove what it has begun to write.
constexpr StopOptions kStopExport{.checkpoint = false, .grace = std::chrono::milliseconds(5000)};

/// In the run's directory; its last part is what the model card calls the model.
std::string folderOfJob(const fs::path& destination)
{
    const std::string name = destination.filename().string();
    return "model/" + (isPlainName(name) && name.front() != '.' ? name : std::string("model"));
}

QStringList wordsOf(const ModelExportOptions& options)
{
    QStringList words;
    for (const std::string& word : modelExportArguments(options))
        words << QString::fromStdString(word);
    return words;
}

} // namespace

ModelExport::ModelExport(RunService& runs, const QString& host, ModelExportOptions options, Place place,
                         QObject* parent)
    : QObject(parent)
    , m_runs(runs)
    , m_job(runs, host)
    , m_options(std::move(options))
    , m_destination(m_options.folder)
    , m_isFetched(place == Place::Here && host != thisMachine())
{
    if (place == Place::Here)
        m_destination = fs::absolute(m_destination).lexically_normal();
    m_options.folder = m_isFetched ? folderOfJob(m_destination) : m_destination.string();
    connect(&m_job, &RemoteJob::startProgress, this, &ModelExport::progress);
    connect(&m_job, &RemoteJob::launched, this,
            [this] { emit progress(tr("loading the model on %1").arg(m_job.host()), -1); });
    connect(&m_job, &RemoteJob::progressed, this, &ModelExport::showProgress);
    connect(&m_job, &RemoteJob::noticed, this, &ModelExport::noticed);
    connect(&m_job, &RemoteJob::stopFailed, this, [this](const Error& error) { finish(error); });
    connect(&m_job, &RemoteJob::finished, this, &ModelExport::onJobFinished);
}

ModelExport::~ModelExport() = default;

/// What is wrong with the folder is better known before a host has worked.
void ModelExport::start()
{
    std::error_code ignored;
    if (m_isFetched && fs::exists(fs::symlink_status(m_destination, ignored)))
        return finish(badInput(m_destination.string() + " exists already",
                               "choose another folder, or remove it first"));
    m_job.launch({.command = QStringLiteral("export"),
                  .name = QStringLiteral("export"),
                  .arguments = wordsOf(m_options)});
}

void ModelExport::cancel()
{
    if (!m_fetch)
        return m_job.cancel(kStopExport);
    m_fetch.reset();
    finish(cancelled("the export was cancelled; nothing was written"));
}

void ModelExport::showProgress()
{
    const auto& stages = m_job.progress().stages();
    const auto weights = std::ranges::find_if(
        stages, [](const Stage& stage) { return stage.name == QLatin1String("weights"); });
    if (weights != stages.end())
        emit progress(tr("writing weights on %1: %2").arg(m_job.host(), weights->doneText()),
                      weights->fraction());
}

/// Once the job has begun, its failures are those of the command: something that it was given is wrong.
void ModelExport::onJobFinished(const Status& status)
{
    if (m_isOver)
        return;
    if (status.ok() && m_isFetched)
        return fetch();
    const bool isItsOwn =
        !m_job.runId().isEmpty() && !status.ok() && status.error().kind == ErrorKind::Failed;
    finish(isItsOwn ? Status(badInput(status.error().message, status.error().hint)) : status);
}

void ModelExport::fetch()
{
    m_fetch = std::make_unique<RunFolderFetch>(RunFolderFetch::Plan{m_job.host(), m_job.runId(),
                                                                    QString::fromStdString(m_options.folder),
                                                                    m_destination},
                                               m_runs.targets());
    connect(m_fetch.get(), &RunFolderFetch::progress, this, [this](qint64 bytes, qint64 total) {
        emit progress(tr("fetching from %1: %2 of %3")
                          .arg(m_job.host(), displayBytes(double(bytes)), displayBytes(double(total))),
                      total > 0 ? double(bytes) / double(total) : -1);
    });
    connect(m_fetch.get(), &RunFolderFetch::finished, this, [this](const Status& result) {
        m_fetch.release()->deleteLater(); // we are in its signal
        finish(result);
    });
    m_fetch->start();
}

void ModelExport::finish(const Status& status)
{
    if (std::exchange(m_isOver, true))
        return;
    if (m_job.runId().isEmpty()) {
        emit finished(status);
        return;
    }
    // What the job wrote may be large, and a command would end before it is removed. A host that is gone
    // keeps it.
    m_runs.removeRun(m_job.runId(), {m_job.host()}, [self = QPointer(this), status](const Status&) {
        if (self)
            emit self->finished(status);
    });
}

} // namespace trainyard
