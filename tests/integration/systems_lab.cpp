#include "tests/integration/systems_lab.h"

#include <QDir>
#include <QTest>

#include <algorithm>

#include "engine/records/journal.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/small_data_set.h"
#include "tests/support/patience.h"

namespace trainyard {

namespace {

constexpr int kSkipped = 77; ///< of make-system: something that it needs is missing
const QString kDataThere = "/root/data";
const QString kRoots = QStringLiteral(TRAINYARD_BUILD_DIR "/systems");

} // namespace

lab::HostSystem systemOf(const QString& name)
{
    return {.root = kRoots + '/' + name};
}

lab::HostSystem containerSystem()
{
    return {.root = kRoots + "/bookworm",
            .sharedMemory = "64m",
            .shell = {},
            .isReadOnly = true,
            .deniesTracing = true};
}

lab::HostSystem withHome(lab::HostSystem system, const QString& size, qint64 bytesPerSecond)
{
    system.homeSize = size;
    system.homeRate = bytesPerSecond;
    return system;
}

lab::HostSystem withShell(lab::HostSystem system, const QString& shell)
{
    system.shell = shell;
    return system;
}

SystemsLab::SystemsLab()
{
    qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
    qputenv("TRAINYARD_BUNDLE", bundle().toUtf8());
}

QString SystemsLab::make(const QList<lab::HostSystem>& systems)
{
    if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
        return why;
    for (const lab::HostSystem& system : systems) {
        if (const QString why = lab::whyNoSlowDisk(); system.homeRate > 0 && !why.isEmpty())
            return why;
        if (system.root.isEmpty())
            continue;
        const auto done =
            lab::runCommand({QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/support/systems/make-system"),
                             QDir(system.root).dirName(), kRoots},
                            {}, 4 * kPatienceMs);
        if (done.status != 0 && done.status != kSkipped)
            qWarning() << done.errors;
        if (!done.ok())
            return QString::fromUtf8(done.output).simplified();
    }
    return {};
}

void SystemsLab::prepare()
{
    const QString missing = support::bundleEngine(bundle());
    QVERIFY2(missing.isEmpty(), qPrintable(missing));
    const QString trouble = lab::makeSmallDataSet(m_dir.filePath("data"));
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
}

void SystemsLab::start(const QList<lab::HostSystem>& systems)
{
    lab::NetnsLab::Options options;
    options.hosts = static_cast<int>(systems.size());
    options.diskSize = "1300m";
    options.systems = systems;
    m_lab = std::make_unique<lab::NetnsLab>(options);
    const QString trouble = m_lab->start();
    QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    m_lab->trustHosts();
    for (int index = 0; index < options.hosts; ++index) {
        QVERIFY(lab::runCommand({"cp", "-r", m_dir.filePath("data"), host(index).path(kDataThere)}).ok());
        const bool isOurs = systems[index].root.isEmpty();
        QVERIFY(isOurs || !host(index).run({"sh", "-c", "command -v mpirun || command -v orted"}).ok());
    }
}

QStringList SystemsLab::addresses() const
{
    QStringList addresses;
    for (int index = 0; index < m_lab->hostCount(); ++index)
        addresses << host(index).address();
    return addresses;
}

RunSpec SystemsLab::spec(int hosts, int steps) const
{
    RunSpec spec;
    spec.name = "systems";
    spec.model.layers = 2;
    spec.model.hidden = 32;
    spec.model.heads = 2;
    spec.model.intermediate = 64;
    spec.model.maxPositions = 64;
    spec.model.vocabulary = lab::vocabularySizeOf(m_dir.filePath("data"));
    spec.cluster.nodes.clear();
    for (int index = 0; index < hosts; ++index)
        spec.cluster.nodes.push_back({host(index).address().toStdString(), 1, 0});
    spec.batch = {8, 4, 2};
    spec.dataset.path = kDataThere.toStdString();
    spec.launch.steps = steps;
    return spec;
}

QString SystemsLab::await(RunOperation* operation, QString* error)
{
    QString id;
    bool over = false;
    QObject::connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& result) {
        over = true;
        if (result.ok())
            id = *result;
        else if (error)
            *error = QString::fromStdString(result.error().text());
        else
            qWarning() << result.error().text().c_str();
    });
    [&] { AWAIT(over); }();
    return id;
}

QString SystemsLab::onHead(const QString& run, const QString& file) const
{
    return host(0).path("/root/.trainyard/runs/" + run + '/' + file);
}

QList<StepRecord> SystemsLab::stepsOf(const QString& run) const
{
    QList<StepRecord> steps;
    const auto journal = readJournal(onHead(run, "journal/steps").toStdString());
    for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
        if (const auto* step = std::get_if<StepRecord>(&record.payload))
            steps << *step;
    }
    return steps;
}

bool SystemsLab::runsUnder(int index, const QByteArray& program) const
{
    const auto processes = lab::processTree(host(index).pid());
    return std::ranges::any_of(processes, [&](const auto& process) { return process.name == program; });
}

} // namespace trainyard
