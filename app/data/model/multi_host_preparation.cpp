#include "app/data/model/multi_host_preparation.h"

#include <algorithm>
#include <utility>

#include "app/base/display_text.h"
#include "datasets/options/prepare_command_line.h"
#include "engine/base/file.h"
#include "remote/target/data_dirs.h"

namespace trainyard {

namespace {

const QString kFolder = QStringLiteral("documents"); ///< in the directory of a run that reads
const QString kIndex = QStringLiteral("documents.json");

QByteArray jobOf(const QString& runId)
{
    const auto job = readFile(runDir(runId) / "job.json");
    return job.ok() ? QByteArray::fromStdString(*job) : QByteArray();
}

} // namespace

QList<CorpusShare> sharesOf(const PrepareRequest& request)
{
    const auto isFree = [](const auto& dump) { return partOf(dump).reader.isEmpty(); };
    const auto free = std::ranges::count_if(request.dumps, isFree);
    QList<CorpusShare> shares;
    qsizetype dealt = 0;
    for (const auto& dump : request.dumps) {
        const DumpPart part = partOf(dump);
        const QString host =
            isFree(dump) ? request.readers[dealt++ * request.readers.size() / free] : part.reader;
        if (shares.isEmpty() || shares.last().host != host)
            shares.append({host, {}});
        shares.last().dumps.push_back(part.path);
    }
    return shares;
}

MultiHostPreparation::MultiHostPreparation(RunService& runs, PrepareRequest request, QObject* parent)
    : QObject(parent), m_runs(runs), m_request(std::move(request))
{
    for (CorpusShare& share : sharesOf(m_request))
        m_shares.push_back({.what = std::move(share), .job = {}, .copy = {}, .progress = {}, .run = {}});
}

MultiHostPreparation::~MultiHostPreparation() = default;

void MultiHostPreparation::start()
{
    for (const QString& host : m_request.readers)
        readNext(host);
}

/// One share after the other: each takes the memory and the cores that the options give.
void MultiHostPreparation::readNext(const QString& host)
{
    for (Share& share : m_shares) {
        if (share.what.host == host && !share.job && share.run.isEmpty())
            return read(share);
    }
}

void MultiHostPreparation::read(Share& share)
{
    share.job = std::make_unique<RemoteJob>(m_runs, share.what.host);
    watch(*share.job);
    connect(share.job.get(), &RemoteJob::progressed, this, [this, &share] {
        share.progress = share.job->progress();
        emit progressed();
    });
    connect(share.job.get(), &RemoteJob::finished, this,
            [this, &share](const Status& status) { onRead(share, status); });
    PrepareOptions options = m_request;
    options.dumps = share.what.dumps;
    options.out = kFolder.toStdString();
    share.job->launch({.command = QStringLiteral("documents"),
                       .name = jobName(m_request),
                       .arguments = toStringList(documentsArguments(options))});
}

void MultiHostPreparation::watch(RemoteJob& job)
{
    const QString host = oneLine(job.host());
    connect(&job, &RemoteJob::startProgress, this, [this, host](const QString& text, double fraction) {
        emit startProgress(host + QStringLiteral(": ") + text, fraction);
    });
    connect(&job, &RemoteJob::launched, this, &MultiHostPreparation::launched);
    connect(&job, &RemoteJob::noticed, this,
            [this, host](const QString& text) { emit noticed(host + QStringLiteral(": ") + text); });
    connect(&job, &RemoteJob::linkChanged, this, &MultiHostPreparation::linkChanged);
    connect(&job, &RemoteJob::stopFailed, this, [this, &job](const Error& error) { leave(job, error); });
}

void MultiHostPreparation::onRead(Share& share, const Status& status)
{
    share.progress = share.job->progress();
    share.run = share.job->runId();
    share.job.release()->deleteLater(); // we are in its signal
    if (!status.ok())
        return fail(status.error().in(share.what.host.toStdString()));
    if (m_outcome)
        return endWhenQuiet();
    readNext(share.what.host);
    copy(share);
}

void MultiHostPreparation::copy(Share& share)
{
    if (share.what.host == m_request.host) {
        share.there = true;
        return joinWhenTogether();
    }
    share.copy = std::make_unique<RunFolderCopy>(
        RunFolderCopy::Plan{share.run, share.what.host, m_request.host, jobOf(share.run), kFolder, kIndex},
        m_runs.targets());
    connect(share.copy.get(), &RunFolderCopy::progress, this, [this, &share](qint64 bytes, qint64 total) {
        emit startProgress(tr("copying documents from %1 to %2: %3 of %4")
                               .arg(oneLine(share.what.host), oneLine(m_request.host),
                                    displayBytes(double(bytes)), displayBytes(double(total))),
                           total > 0 ? double(bytes) / double(total) : -1);
    });
    connect(share.copy.get(), &RunFolderCopy::finished, this, [this, &share](const Status& copied) {
        share.copy.release()->deleteLater(); // we are in its signal
        if (!copied.ok())
            return fail(copied.error());
        share.there = true;
        joinWhenTogether();
    });
    share.copy->start();
}

void MultiHostPreparation::joinWhenTogether()
{
    if (m_outcome || m_joining || !std::ranges::all_of(m_shares, &Share::there))
        return;
    m_joining = true;
    PrepareOptions options = m_request;
    options.dumps.clear();
    for (const Share& share : m_shares) // seen from the directory of another run
        options.parts.emplace_back(QStringLiteral("../%1/%2").arg(share.run, kFolder).toStdString());
    m_join = std::make_unique<RemoteJob>(m_runs, m_request.host);
    watch(*m_join);
    connect(m_join.get(), &RemoteJob::progressed, this, [this] {
        m_joinProgress = m_join->progress();
        emit progressed();
    });
    connect(m_join.get(), &RemoteJob::finished, this, [this](const Status& status) {
        m_joinProgress = m_join->progress();
        m_join.release()->deleteLater(); // we are in its signal
        m_outcome = status.ok() ? status : Status(status.error().in(m_request.host.toStdString()));
        endWhenQuiet();
    });
    m_join->launch({.name = jobName(m_request), .arguments = toStringList(prepareArguments(options))});
}

StageProgress MultiHostPreparation::progress() const
{
    std::vector<StageProgress> parts;
    for (const Share& share : m_shares)
        parts.push_back(share.progress);
    return StageProgress::together(parts).followedBy(m_joinProgress);
}

void MultiHostPreparation::cancel()
{
    fail(cancelled("preparation was cancelled; nothing was published"));
}

/// The first error counts; what the others say when they are ended because of it is no news.
void MultiHostPreparation::fail(const Error& error)
{
    if (!m_outcome) {
        m_outcome = error;
        for (Share& share : m_shares) {
            share.copy.reset();
            if (share.job)
                share.job->cancel();
        }
        if (m_join)
            m_join->cancel();
    }
    endWhenQuiet();
}

/// A host that cannot be reached keeps its job; the others are not kept waiting for it.
void MultiHostPreparation::leave(RemoteJob& job, const Error& error)
{
    emit noticed(QString::fromStdString(error.text()));
    for (Share& share : m_shares) {
        if (share.job.get() == &job)
            share.job.release()->deleteLater(); // we are in its signal
    }
    if (m_join.get() == &job)
        m_join.release()->deleteLater();
    endWhenQuiet();
}

bool MultiHostPreparation::anythingWorks() const
{
    return m_join || std::ranges::any_of(m_shares, [](const Share& share) { return share.job != nullptr; });
}

void MultiHostPreparation::endWhenQuiet()
{
    if (m_outcome && !anythingWorks() && !std::exchange(m_cleaning, true))
        clean();
}

/// The documents of the shares were only needed in between.
void MultiHostPreparation::clean()
{
    m_toRemove = 1;
    const auto removed = [this](const Status&) {
        if (--m_toRemove == 0)
            emit finished(*m_outcome);
    };
    for (const Share& share : m_shares) {
        if (share.run.isEmpty())
            continue;
        ++m_toRemove;
        QStringList hosts{share.what.host, m_request.host};
        hosts.removeDuplicates();
        m_runs.removeRun(share.run, hosts, removed);
    }
    removed({});
}

} // namespace trainyard
