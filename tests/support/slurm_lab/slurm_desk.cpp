#include "tests/support/slurm_lab/slurm_desk.h"

#include <QEventLoop>
#include <QFile>
#include <QJsonDocument>
#include <QTest>
#include <QTimer>

#include "engine/records/journal.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/small_data_set.h"

namespace trainyard::lab {

namespace {

constexpr int kSteps = 1'000'000;
constexpr std::chrono::minutes kMaxOperation{3}; ///< a stop waits for Slurm's nodes for half of that
const QString kBin = QStringLiteral(TRAINYARD_BIN_DIR);
const QString kData = "/root/data";

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// False, with a word, when nothing has ended the loop for longer than any operation may take.
bool runToEnd(QEventLoop& loop)
{
    QTimer::singleShot(kMaxOperation, &loop, [&] { loop.exit(1); });
    const bool ended = loop.exec() == 0;
    if (!ended)
        qWarning("no answer for three minutes");
    return ended;
}

QString inRuns(const QString& run, const QString& file)
{
    return "/root/.trainyard/runs/" + run + '/' + file;
}

} // namespace

SlurmDesk::SlurmDesk(int nodes) : m_cluster(nodes) {}

SlurmDesk::~SlurmDesk() = default;

QString SlurmDesk::start()
{
    qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
    qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
    makeBundle();
    if (const QString trouble = m_cluster.start(); !trouble.isEmpty())
        return trouble;
    m_pool = std::make_unique<TargetPool>(m_cluster.hosts().targetOptions());
    m_service = std::make_unique<RunService>(*m_pool);
    return makeDataSet();
}

/// Half a GiB of engine is not what these tests are about: the hosts see the build's own. They are one
/// machine: ranks that wait leave its cores to the others.
void SlurmDesk::makeBundle() const
{
    const QString worker = "#!/bin/sh\nexport OMPI_MCA_mpi_yield_when_idle=1\nexec " + seenInHosts(kBin) +
                           "/trainyard-worker \"$@\"\n";
    support::writeBundle(m_dir.filePath("bundle").toStdString(),
                         {{"bin/trainyard-worker", worker.toStdString(), true}});
}

QString SlurmDesk::makeDataSet()
{
    const QString out = m_dir.filePath("data");
    if (const QString trouble = makeSmallDataSet(out); !trouble.isEmpty())
        return trouble;
    m_vocabulary = vocabularySizeOf(out);
    const Finished copied = runCommand({"cp", "-r", out, m_cluster.login().path(kData)});
    return copied.ok() ? QString() : "cannot copy the data set: " + copied.errors;
}

RunSpec SlurmDesk::spec(int nodes)
{
    RunSpec spec;
    spec.name = "slurm";
    spec.model.layers = 1;
    spec.model.hidden = 32;
    spec.model.heads = 2;
    spec.model.intermediate = 64;
    spec.model.maxPositions = 64;
    spec.model.vocabulary = m_vocabulary;
    spec.cluster.nodes.assign(static_cast<std::size_t>(nodes),
                              {m_cluster.login().address().toStdString(), 1, 0});
    spec.layout.data = nodes;
    spec.batch = {4 * nodes, 4, 1};
    spec.dataset.path = kData.toStdString();
    spec.launch.steps = kSteps;
    spec.launch.device = DeviceKind::Cpu;
    spec.launch.launcher = LauncherKind::Slurm;
    return spec;
}

QString SlurmDesk::finish(RunOperation* operation)
{
    QString id;
    QEventLoop loop;
    m_error.clear();
    QObject::connect(operation, &RunOperation::finished, &loop, [&](const Result<QString>& result) {
        if (result.ok())
            id = *result;
        else
            m_error = QString::fromStdString(result.error().text());
        loop.quit();
    });
    if (!runToEnd(loop))
        m_error = "no answer";
    return id;
}

Result<QJsonObject> SlurmDesk::call(const QJsonObject& request)
{
    Result<QJsonObject> answer = failed("no answer");
    QEventLoop loop;
    m_pool->target(m_cluster.login().address()).call(request, &loop, [&](const Result<QJsonObject>& reply) {
        answer = reply;
        loop.quit();
    });
    runToEnd(loop);
    return answer;
}

HostRun SlurmDesk::ask(const QString& run)
{
    HostRun found;
    QEventLoop loop;
    m_service->listRuns(m_cluster.login().address(), &loop, [&](const Result<QList<HostRun>>& runs) {
        if (!runs.ok())
            return loop.quit();
        for (const HostRun& known : *runs) {
            if (known.id == run)
                found = known;
        }
        loop.quit();
    });
    runToEnd(loop);
    return found;
}

QByteArray SlurmDesk::fileOf(const QString& run, const QString& file)
{
    return readAll(m_cluster.login().path(inRuns(run, file)));
}

QString SlurmDesk::jobOf(const QString& run)
{
    return QJsonDocument::fromJson(fileOf(run, "slurm.json")).object().value("job").toString();
}

QString SlurmDesk::history(const QString& run)
{
    const QString file = m_cluster.login().path(inRuns(run, "journal/run"));
    const auto journal = readJournal(file.toStdString());
    QStringList states;
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>()) {
        const auto* state = std::get_if<StateRecord>(&record.payload);
        const QString name = state ? QString::fromUtf8(nameOf(state->state).data()) : QString();
        if (state && !state->heartbeat && states.value(states.size() - 1) != name)
            states << name;
    }
    return states.join(' ');
}

qint64 SlurmDesk::checkpointOf(const QString& run)
{
    return fileOf(run, "checkpoints/latest").simplified().replace("step-", "").toLongLong();
}

int SlurmDesk::processesOf(const QString& run, int index)
{
    constexpr const char* kCount = "for e in /proc/[0-9]*/environ; do "
                                   "grep -qzx \"TRAINYARD_RUN=$1\" $e 2>/dev/null && echo $e; done; true";
    return int(m_cluster.node(index).run({"sh", "-c", kCount, "sh", run}).output.count('\n'));
}

QByteArrayList SlurmDesk::devicesOf(const QString& run, int index)
{
    constexpr const char* kVariables = "for p in /proc/[0-9]*; do grep -qx trainyard-worke $p/comm && "
                                       "grep -qzx \"TRAINYARD_RUN=$1\" $p/environ && "
                                       "tr '\\0' '\\n' < $p/environ | sed -n s/^CUDA_VISIBLE_DEVICES=//p; "
                                       "done 2>/dev/null | sort -u";
    const QByteArray values =
        m_cluster.node(index).run({"sh", "-c", kVariables, "sh", run}).output.simplified();
    return values.isEmpty() ? QByteArrayList() : values.split(' ');
}

QString SlurmDesk::lastWords(const QString& run)
{
    const QString job = jobOf(run);
    return history(run) + '\n' + fileOf(run, "state.json") + fileOf(run, "queue.log") +
           fileOf(run, "attempts/0001.slurm.log") + fileOf(run, "attempts/0001.log") +
           fileOf(run, "ranks/0000.log") +
           m_cluster.slurm({"scontrol", "show", "job", "--oneliner", job}).output;
}

} // namespace trainyard::lab
