#include "app/runs/run_store.h"

#include <QDir>
#include <QFileInfo>

#include "app/runs/run_hosts.h"
#include "app/runs/staged_import.h"

namespace trainyard {

namespace {

constexpr int kClockMs = 1000;
constexpr qint64 kSameMomentMs = 2000; ///< a file system may round the time of a change to this
constexpr int kRecordMs = 1000;

} // namespace

RunStore::RunStore(RunDatabase& history, const QString& runsFolder, RunHosts* hosts, QObject* parent)
    : QObject(parent)
    , m_history(history)
    , m_runsFolder(runsFolder)
    , m_hosts(hosts)
    , m_list(history)
    , m_edits(history)
{
    connect(&m_clock, &QTimer::timeout, this, &RunStore::refreshStates);
    m_clock.start(kClockMs);
    m_record.setSingleShot(true);
    m_record.setInterval(kRecordMs);
    connect(&m_record, &QTimer::timeout, this, [this] {
        for (const QString& id : std::exchange(m_unrecorded, {}))
            record(*m_open.at(id));
    });
    scanWhenChanged();
    openUnfinished();
}

RunStore::~RunStore() = default;

QString RunStore::folderOf(const QString& runId) const
{
    return m_runsFolder + QLatin1Char('/') + runId;
}

void RunStore::scan()
{
    endInterruptedImports(m_runsFolder.toStdString());
    for (const QString& id : QDir(m_runsFolder).entryList(QDir::Dirs | QDir::NoDotAndDotDot, QDir::Name)) {
        if (!m_history.find(id))
            adopt(id);
    }
    removeFailedLaunches();
}

/// The folder changes when a run is added or removed, by any program.
void RunStore::scanWhenChanged()
{
    const QDateTime changed = QFileInfo(m_runsFolder).lastModified();
    if (changed == m_scanned)
        return;
    scan();
    // What is added within the same moment leaves no other time: look once more.
    const bool isPast = changed.msecsTo(QDateTime::currentDateTime()) > kSameMomentMs;
    m_scanned = isPast ? changed : QDateTime();
}

/// Removes the entries of launches that failed: a rolled back launch deletes its folder.
void RunStore::removeFailedLaunches()
{
    const QList<RunEntry> runs = m_history.runs();
    for (const RunEntry& entry : runs) {
        if (entry.state != RunState::Pending || QDir(folderOf(entry.id)).exists())
            continue;
        m_unrecorded.remove(entry.id);
        m_open.erase(entry.id);
        (void)m_history.remove(entry.id).ok(); // retried by the next scan
    }
}

void RunStore::adopt(const QString& runId)
{
    auto run = readRunFolder(folderOf(runId));
    if (!run.ok() || (!run->facts.spec && !run->facts.import))
        return; // a data job, not a run, or still being written; the next scan tries again
    keep(std::make_unique<OpenRun>(std::move(run).value()));
}

void RunStore::openUnfinished()
{
    const QList<RunEntry> runs = m_history.runs(); // opening changes the history's list
    for (const RunEntry& entry : runs) {
        if (!entry.isOver() && !m_open.contains(entry.id) && QDir(folderOf(entry.id)).exists())
            (void)open(entry.id).ok(); // the error is shown when the user opens the run
    }
}

Result<OpenRun*> RunStore::open(const QString& runId)
{
    const auto known = m_open.find(runId);
    if (known != m_open.end())
        return known->second.get();
    if (!QDir(folderOf(runId)).exists())
        return badInput("the records of run " + runId.toStdString() + " are no longer on this computer",
                        "restore " + folderOf(runId).toStdString() + ", or remove the run from the list");
    TRAINYARD_TRY(RecordedRun run, readRunFolder(folderOf(runId)));
    return keep(std::make_unique<OpenRun>(std::move(run)));
}

Status RunStore::removeRun(const QString& runId)
{
    QDir folder(folderOf(runId));
    if (folder.exists() && !folder.removeRecursively())
        return badInput(folder.path().toStdString() + " could not be removed",
                        "check the permissions of the folder and its contents");
    m_unrecorded.remove(runId);
    m_open.erase(runId);
    return m_history.remove(runId);
}

void RunStore::followAgain(const QString& runId)
{
    const auto known = m_open.find(runId);
    if (m_hosts && known != m_open.end())
        m_hosts->follow(*known->second);
}

OpenRun* RunStore::keep(std::unique_ptr<OpenRun> owned)
{
    OpenRun* run = owned.get();
    const QString id = run->id();
    m_open[id] = std::move(owned);
    record(*run);
    connect(run, &OpenRun::changed, this, [this, id] {
        m_unrecorded.insert(id);
        if (!m_record.isActive())
            m_record.start();
        emit runChanged(id);
    });
    connect(run, &OpenRun::linkChanged, this, [this, id, run] {
        m_list.setDisplayState(id, run->displayState(QDateTime::currentMSecsSinceEpoch()));
        emit runChanged(id);
    });
    if (m_hosts && !isFinal(run->series().status().state))
        m_hosts->follow(*run);
    return run;
}

void RunStore::record(OpenRun& run)
{
    RunEntry entry = m_history.find(run.id()).value_or(RunEntry{});
    updateEntry(entry, run.facts(), run.series());
    const Status stored = m_history.store(entry);
    if (!stored.ok())
        emit problem(QString::fromStdString(stored.error().text()));
    m_list.setDisplayState(run.id(), run.displayState(QDateTime::currentMSecsSinceEpoch()));
}

void RunStore::refreshStates()
{
    if (const Status refreshed = m_history.refresh(); !refreshed.ok())
        emit problem(QString::fromStdString(refreshed.error().text()));
    scanWhenChanged();
    openUnfinished();
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    for (const auto& [id, run] : m_open)
        m_list.setDisplayState(id, run->displayState(now));
    m_list.setNow(now);
}

} // namespace trainyard
