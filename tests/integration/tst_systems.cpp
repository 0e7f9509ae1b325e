#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "engine/records/journal.h"
#include "remote/deploy/deployer.h"
#include "remote/launch/run_service.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using lab::HostSystem;

namespace {

constexpr int kSystemSteps = 100'000; ///< more than the test waits for: it stops the run
constexpr quint64 kEnoughSteps = 20;
constexpr int kSkipped = 77; ///< of make-system: something that it needs is missing
const QString kDataThere = "/root/data";

const QString kRoots = QStringLiteral(TRAINYARD_BUILD_DIR "/systems");

HostSystem systemOf(const QString& name)
{
    return {.root = kRoots + '/' + name};
}

/// As a container has it.
HostSystem container()
{
    return {.root = kRoots + "/bookworm", .sharedMemory = "64m", .shell = {}, .isReadOnly = true};
}

HostSystem withShell(HostSystem system, const QString& shell)
{
    system.shell = shell;
    return system;
}

QByteArray contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

Q_DECLARE_METATYPE(trainyard::lab::HostSystem)

/// The engine on the systems that people have, none of which has MPI or a C library that it was linked with:
/// two hosts of different kinds are checked, receive the engine once, train together, are stopped, and keep
/// nothing. Without TRAINYARD_SYSTEMS=all only the first pair.
class TestSystems : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
        const QString missing = bundleEngine(m_dir.filePath("bundle"));
        QVERIFY2(missing.isEmpty(), qPrintable(missing));
        makeData();
    }
    void cleanup() { m_lab.reset(); }

    void trainsWithoutAnythingInstalled_data()
    {
        QTest::addColumn<HostSystem>("head");
        QTest::addColumn<HostSystem>("node");
        QTest::addColumn<QByteArray>("startUpFile"); // of the head's shell
        QTest::addRow("Debian 11 with BusyBox and musl")
            << withShell(systemOf("bullseye"), "/usr/bin/fish") << systemOf("busybox") << QByteArray();
        if (qgetenv("TRAINYARD_SYSTEMS") != "all")
            return;
        QTest::addRow("Debian 13 with this machine")
            << withShell(systemOf("trixie"), "/bin/tcsh") << HostSystem() << QByteArray();
        QTest::addRow("container with Debian 11")
            << withShell(container(), "/bin/bash") << systemOf("bullseye")
            << QByteArray("echo; echo Welcome to this container; printf '\\a\\033[1mhave fun\\033[0m\\n'\n");
        QTest::addRow("this machine with Debian 13") << HostSystem() << systemOf("trixie") << QByteArray();
        QTest::addRow("Debian 12 with container") << systemOf("bookworm") << container() << QByteArray();
    }
    void trainsWithoutAnythingInstalled()
    {
        QFETCH(HostSystem, head);
        QFETCH(HostSystem, node);
        QFETCH(QByteArray, startUpFile);
        for (const HostSystem& system : {head, node}) {
            if (const QString why = made(system); !why.isEmpty())
                QSKIP(qPrintable(why));
        }
        start({head, node});
        if (QTest::currentTestFailed())
            return;
        writeTo(0, "/root/.bashrc", startUpFile);
        TargetPool pool(m_lab->targetOptions());
        RunService service(pool);
        QString planned;
        const QString run = await(service.launch(spec()), &planned);
        QVERIFY2(planned.startsWith("uploading ") && planned.contains(" of the engine to 2 hosts, about "),
                 qPrintable(planned));
        QVERIFY2(!run.isEmpty(), "the launch failed");
        AWAIT(stepsOf(run) > kEnoughSteps);
        QVERIFY(runsUnder(0, "mpirun") && runsUnder(0, "trainyard-worke"));
        QVERIFY(runsUnder(1, "orted") && runsUnder(1, "trainyard-worke"));
        QCOMPARE(await(service.stop(run), nullptr), run);
        for (int host = 0; host < 2; ++host) {
            for (const char* program : {"mpirun", "orted", "trainyard-worke"})
                QVERIFY2(!runsUnder(host, program), program);
            QCOMPARE(left(host, "/dev/shm"), QString());
            QCOMPARE(left(host, "/tmp"), QString());
        }
        hasTheEngine(pool);
        removes(service, run);
    }

private:
    /// The names in a folder of a host, without those that its login shell makes for itself.
    QString left(int host, const QString& folder)
    {
        QStringList names = m_lab->host(host).filesIn(folder);
        names.removeAll("fish.root");
        return names.join(' ');
    }

    /// Empty when there is such a root file system.
    static QString made(const HostSystem& system)
    {
        if (system.root.isEmpty())
            return {};
        const auto done =
            lab::runCommand({QStringLiteral(TRAINYARD_SOURCE_DIR "/tests/support/systems/make-system"),
                             QDir(system.root).dirName(), kRoots},
                            {}, 4 * kPatienceMs);
        if (done.status != 0 && done.status != kSkipped)
            qWarning() << done.errors;
        return done.ok() ? QString() : QString::fromUtf8(done.output).simplified();
    }

    void start(const QList<HostSystem>& systems)
    {
        lab::NetnsLab::Options options;
        options.hosts = 2;
        options.diskSize = "1300m";
        options.systems = systems;
        m_lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        for (int host = 0; host < 2; ++host) {
            QVERIFY(lab::runCommand({"cp", "-r", m_dir.filePath("data"), m_lab->host(host).path(kDataThere)})
                        .ok());
            const bool isOurs = systems[host].root.isEmpty();
            QVERIFY(isOurs ||
                    !m_lab->host(host).run({"sh", "-c", "command -v mpirun || command -v orted"}).ok());
        }
    }

    void writeTo(int host, const QString& path, const QByteArray& content)
    {
        QFile file(m_lab->host(host).path(path));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    static QString await(RunOperation* operation, QString* planned)
    {
        QString id;
        bool over = false;
        if (planned)
            connect(operation, &RunOperation::planned, operation,
                    [planned](const QString& text) { *planned = text; });
        connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& result) {
            over = true;
            if (result.ok())
                id = *result;
            else
                qWarning() << result.error().text().c_str();
        });
        [&] { AWAIT(over); }();
        return id;
    }

    bool runsUnder(int host, const QByteArray& name) const
    {
        const auto processes = lab::processTree(m_lab->host(host).pid());
        return std::ranges::any_of(processes, [&](const auto& process) { return process.name == name; });
    }

    quint64 stepsOf(const QString& run) const
    {
        const QString file = m_lab->host(0).path("/root/.trainyard/runs/" + run + "/journal/steps");
        const auto journal = readJournal(file.toStdString());
        return journal.ok() && !journal->records.empty() ? journal->records.back().sequence : 0;
    }

    /// A second deployment sends nothing, so it plans nothing.
    void hasTheEngine(TargetPool& pool)
    {
        const auto bundle = Bundle::load(m_dir.filePath("bundle").toStdString(), TRAINYARD_VERSION);
        QVERIFY(bundle.ok());
        Deployer deployer(bundle->withoutCuda(), {&pool.target(hosts()[0]), &pool.target(hosts()[1])});
        QSignalSpy planned(&deployer, &Deployer::planned);
        QSignalSpy finished(&deployer, &Deployer::finished);
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        QVERIFY(finished[0][0].value<Status>().ok());
        QCOMPARE(planned.size(), 0);
    }

    void removes(RunService& service, const QString& run)
    {
        std::optional<Status> answer;
        service.removeFromHosts(run, this, [&](const Status& status) { answer = status; });
        AWAIT(answer.has_value());
        QVERIFY2(answer->ok(), answer->ok() ? "" : answer->error().text().c_str());
        for (int host = 0; host < 2; ++host)
            QCOMPARE(m_lab->host(host).filesIn("/root/.trainyard/runs"), QStringList());
    }

    QStringList hosts() const { return {m_lab->host(0).address(), m_lab->host(1).address()}; }

    void makeData()
    {
        const QDir samples(QStringLiteral(TRAINYARD_SOURCE_DIR "/resources/samples"));
        const QStringList dumps = samples.entryList({"*.xml.bz2"});
        QVERIFY(!dumps.isEmpty());
        const auto made =
            lab::runCommand({QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-prepare"), "prepare",
                             samples.filePath(dumps.first()), "--train-vocab", "1000", "--out",
                             m_dir.filePath("data"), "--seq-len", "64", "--max-pred", "10", "--shards", "2"});
        QVERIFY2(made.ok(), made.errors.constData());
    }

    RunSpec spec() const
    {
        RunSpec spec;
        spec.name = "systems";
        spec.model.layers = 2;
        spec.model.hidden = 32;
        spec.model.heads = 2;
        spec.model.intermediate = 64;
        spec.model.maxPositions = 64;
        const auto manifest =
            QJsonDocument::fromJson(contentOf(m_dir.filePath("data/manifest.json"))).object();
        spec.model.vocabulary = manifest.value("vocabulary_size").toInt();
        spec.cluster.nodes.clear();
        for (const QString& host : hosts())
            spec.cluster.nodes.push_back({host.toStdString(), 1, 0});
        spec.layout.data = 2;
        spec.batch = {8, 4, 1};
        spec.dataset.path = kDataThere.toStdString();
        spec.launch.steps = kSystemSteps;
        return spec;
    }

    QTemporaryDir m_dir{"/dev/shm/trainyard-systems-XXXXXX"}; // the bundle has half a GiB: not on a slow disk
    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestSystems)
#include "tst_systems.moc"
