#include "app/runs/run_store.h"

#include <QDateTime>
#include <QDir>

#include "app/runs/run_hosts.h"
#include "app/runs/staged_import.h"

namespace trainyard {

namespace {

constexpr int kClockMs = 2000;
constexpr int kRecordMs = 1000;

} // namespace

RunStore::RunStore(RunDatabase& library, const QString& runsFolder, RunHosts* hosts, QObject* parent)
    : QObject(parent)
    , m_library(library)
    , m_runsFolder(runsFolder)
    , m_hosts(hosts)
    , m_list(library)
    , m_edits(library)
{
    connect(&m_clock, &QTimer::timeout, this, &RunStore::lookAtClock);
    m_clock.start(kClockMs);
    m_record.setSingleShot(true);
    m_record.setInterval(kRecordMs);
    connect(&m_record, &QTimer::timeout, this, [this] {
        for (const QString& id : std::exchange(m_unrecorded, {}))
            record(*m_open.at(id));
    });
    scan();
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
        if (!m_library.find(id))
            adopt(id);
    }
    dropTakenBack();
}

/// A launch that came to nothing takes its folder back; nothing is lost with its entry.
void RunStore::dropTakenBack()
{
    const QList<RunEntry> runs = m_library.runs();
    for (const RunEntry& entry : runs) {
        if (entry.state != RunState::Pending || QDir(folderOf(entry.id)).exists())
            continue;
        m_unrecorded.remove(entry.id);
        m_open.erase(entry.id);
        (void)m_library.remove(entry.id).ok(); // if not now, then at the next scan
    }
}

void RunStore::adopt(const QString& runId)
{
    auto run = readRunFolder(folderOf(runId));
    if (!run.ok() || (!run->facts.spec && !run->facts.import))
        return; // a data job, no run at all, or still being written: then the next scan sees it again
    keep(std::make_unique<OpenRun>(std::move(run).value()));
}

void RunStore::openUnfinished()
{
    const QList<RunEntry> runs = m_library.runs(); // opening changes the library's list
    for (const RunEntry& entry : runs) {
        if (!entry.isOver() && QDir(folderOf(entry.id)).exists())
            (void)open(entry.id).ok(); // what cannot be read says so when somebody looks at it
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
    return m_library.remove(runId);
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
    RunEntry entry = m_library.find(run.id()).value_or(RunEntry{});
    updateEntry(entry, run.facts(), run.series());
    const Status stored = m_library.store(entry);
    if (!stored.ok())
        emit problem(QString::fromStdString(stored.error().text()));
    m_list.setDisplayState(run.id(), run.displayState(QDateTime::currentMSecsSinceEpoch()));
}

void RunStore::lookAtClock()
{
    if (const Status refreshed = m_library.refresh(); !refreshed.ok())
        emit problem(QString::fromStdString(refreshed.error().text()));
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    for (const auto& [id, run] : m_open)
        m_list.setDisplayState(id, run->displayState(now));
    m_list.setNow(now);
}

} // namespace trainyard
