#include "app/monitor/trace_saver.h"

#include "app/plan/device_memory.h"
#include "app/runs/run_hosts.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

QStringList hostsByRank(const OpenRun& run)
{
    QStringList hosts;
    for (const DeviceMemory& rank : deviceMemory(run.facts(), run.series()))
        hosts.append(rank.host);
    return hosts;
}

int worldSize(const OpenRun& run)
{
    const RunSpec* spec = run.facts().specNow();
    return spec ? spec->layout.worldSize() : std::max<int>(1, int(run.series().ranks().size()));
}

} // namespace

TraceSaver::TraceSaver(RunHosts& hosts, const OpenRun& run, QObject* parent)
    : QObject(parent)
    , m_folder(run.facts().folder + QStringLiteral("/traces"))
    , m_hostsByRank(hostsByRank(run))
    , m_recording([&hosts, id = run.id()](int rank, const QObject* context,
                                          auto done) { hosts.readRing(id, rank, context, std::move(done)); },
                  worldSize(run), kSteps)
{
    connect(&m_recording, &TraceRecorder::progress, this, &TraceSaver::progress);
    connect(&m_recording, &TraceRecorder::finished, this, &TraceSaver::end);
}

void TraceSaver::end(const Status& recorded)
{
    emit finished(recorded.ok() ? save() : Result<QString>(recorded.error()));
    deleteLater();
}

Result<QString> TraceSaver::save() const
{
    const CollectiveTrace& trace = m_recording.trace();
    const QString file =
        QStringLiteral("%1/steps-%2-%3.json").arg(m_folder).arg(trace.firstStep()).arg(trace.lastStep());
    TRAINYARD_TRY_STATUS(makeFolder(m_folder.toStdString()));
    TRAINYARD_TRY_STATUS(
        writeFileAtomically(file.toStdString(), trace.toChromeTrace(m_hostsByRank).toStdString()));
    return file;
}

} // namespace trainyard
