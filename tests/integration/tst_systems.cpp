#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "remote/deploy/deployer.h"
#include "tests/integration/systems_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using lab::HostSystem;

namespace {

constexpr int kSystemSteps = 100'000; ///< more than the test waits for: it stops the run
constexpr qsizetype kEnoughSteps = 20;

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
        if (const QString why = SystemsLab::make({}); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_systems.prepare();
    }
    void cleanup() { m_systems.end(); }

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
            << withShell(containerSystem(), "/bin/bash") << systemOf("bullseye")
            << QByteArray("echo; echo Welcome to this container; printf '\\a\\033[1mhave fun\\033[0m\\n'\n");
        QTest::addRow("this machine with Debian 13") << HostSystem() << systemOf("trixie") << QByteArray();
        QTest::addRow("Debian 12 with container")
            << systemOf("bookworm") << containerSystem() << QByteArray();
    }
    void trainsWithoutAnythingInstalled()
    {
        QFETCH(HostSystem, head);
        QFETCH(HostSystem, node);
        QFETCH(QByteArray, startUpFile);
        if (const QString why = SystemsLab::make({head, node}); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_systems.start({head, node});
        if (QTest::currentTestFailed())
            return;
        writeTo(0, "/root/.bashrc", startUpFile);
        TargetPool pool(m_systems.netns().targetOptions());
        RunService service(pool);
        RunSpec spec = m_systems.spec(2, kSystemSteps);
        spec.layout.data = 2;
        spec.batch.accumulation = 1;
        RunOperation* launch = service.launch(spec);
        QString planned;
        connect(launch, &RunOperation::planned, this, [&planned](const QString& text) { planned = text; });
        QElapsedTimer timer;
        timer.start();
        const QString run = SystemsLab::await(launch);
        qInfo("launched in %.1f s: %s", timer.elapsed() / 1e3, qPrintable(planned));
        QVERIFY2(planned.startsWith("uploading ") && planned.contains(" of the engine to 2 hosts, about "),
                 qPrintable(planned));
        QVERIFY2(!run.isEmpty(), "the launch failed");
        AWAIT(m_systems.stepsOf(run).size() > kEnoughSteps);
        QVERIFY(m_systems.runsUnder(0, "mpirun") && m_systems.runsUnder(0, "trainyard-worke"));
        QVERIFY(m_systems.runsUnder(1, "orted") && m_systems.runsUnder(1, "trainyard-worke"));
        QCOMPARE(SystemsLab::await(service.stop(run)), run);
        for (int host = 0; host < 2; ++host) {
            for (const char* program : {"mpirun", "orted", "trainyard-worke"})
                QVERIFY2(!m_systems.runsUnder(host, program), program);
            QCOMPARE(left(host, "/dev/shm"), QString());
            QCOMPARE(left(host, "/tmp"), QString());
        }
        hasTheEngine(pool);
        removes(service, run);
    }

private:
    void writeTo(int host, const QString& path, const QByteArray& content)
    {
        QFile file(m_systems.host(host).path(path));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

    /// The names in a folder of a host, without those that its login shell makes for itself.
    QString left(int host, const QString& folder)
    {
        QStringList names = m_systems.host(host).filesIn(folder);
        names.removeAll("fish.root");
        return names.join(' ');
    }

    /// A second deployment sends nothing, so it plans nothing.
    void hasTheEngine(TargetPool& pool)
    {
        const auto bundle = Bundle::load(m_systems.bundle().toStdString(), TRAINYARD_VERSION);
        QVERIFY(bundle.ok());
        const QStringList hosts = m_systems.addresses();
        Deployer deployer(bundle->withoutCuda(), {&pool.target(hosts[0]), &pool.target(hosts[1])});
        QSignalSpy planned(&deployer, &Deployer::planned);
        QSignalSpy finished(&deployer, &Deployer::finished);
        QElapsedTimer timer;
        timer.start();
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        qInfo("deployed again in %lld ms", static_cast<long long>(timer.elapsed()));
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
            QCOMPARE(m_systems.host(host).filesIn("/root/.trainyard/runs"), QStringList());
    }

    SystemsLab m_systems;
};

QTEST_GUILESS_MAIN(TestSystems)
#include "tst_systems.moc"
