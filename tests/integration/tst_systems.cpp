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
constexpr double kShareBeforeFull = 0.3; ///< of the engine, on the hosts when the disk is full
constexpr qint64 kSlowDisk =
    20'000'000; ///< bytes per second: the largest library takes longer than a silence may last

} // namespace

Q_DECLARE_METATYPE(trainyard::lab::HostSystem)

/// The engine on the systems that people have, none of which has MPI or a C library that it was linked with:
/// two hosts of different kinds are checked, receive the engine once, train together, are stopped, and keep
/// nothing. Without TRAINYARD_SYSTEMS=all only the first two pairs and a full disk.
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
        QTest::addColumn<int>("ranks");              // of each host
        QTest::addColumn<QByteArray>("startUpFile"); // of the head's shell
        QTest::addRow("Debian 11 with BusyBox and musl")
            << withShell(systemOf("bullseye"), "/usr/bin/fish") << systemOf("busybox") << 1 << QByteArray();
        QTest::addRow("glibc 2.17 with this machine")
            << systemOf("glibc-2.17") << HostSystem() << 1 << QByteArray();
        if (qgetenv("TRAINYARD_SYSTEMS") != "all")
            return;
        QTest::addRow("Debian 13 with this machine")
            << withShell(systemOf("trixie"), "/bin/tcsh") << HostSystem() << 1 << QByteArray();
        QTest::addRow("container with Debian 11")
            << withShell(containerSystem(), "/bin/bash") << systemOf("bullseye") << 2
            << QByteArray("echo; echo Welcome to this container; printf '\\a\\033[1mhave fun\\033[0m\\n'\n");
        QTest::addRow("this machine with Debian 13")
            << HostSystem() << systemOf("trixie") << 1 << QByteArray();
        QTest::addRow("Debian 12 with container")
            << systemOf("bookworm") << containerSystem() << 2 << QByteArray();
        QTest::addRow("slow disk with BusyBox")
            << withHome({}, "1100m", kSlowDisk) << systemOf("busybox") << 1 << QByteArray();
    }
    void trainsWithoutAnythingInstalled()
    {
        QFETCH(HostSystem, head);
        QFETCH(HostSystem, node);
        QFETCH(int, ranks);
        QFETCH(QByteArray, startUpFile);
        if (const QString why = SystemsLab::make({head, node}); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_systems.start({head, node});
        MUST(isOlderThanTheBuild(head));
        MUST(writeTo(0, "/root/.bashrc", startUpFile));
        TargetPool pool(m_systems.netns().targetOptions());
        RunService service(pool);
        int breaks = 0;
        connect(&pool.target(m_systems.addresses()[0]), &Target::stateChanged, this,
                [&](Target::State state) { breaks += state == Target::State::Lost ? 1 : 0; });
        QString planned;
        const QString run = launch(service, ranks, &planned);
        QVERIFY2(planned.contains(" of the engine to 2 hosts, about "), qPrintable(planned));
        MUST(trainsStopsAndLeavesNothing(service, run));
        QCOMPARE(breaks, 0); // the agent answers, whatever its disk does
        MUST(hasTheEngine(pool));
        removes(service, run);
    }

    /// Somebody else's files use up what was free when the engine was on its way; then the disk, or a quota,
    /// is enlarged.
    void goesOnWhereAFullHomeCutItOff()
    {
        const QList<HostSystem> systems{withHome({}, "700m"), systemOf("busybox")};
        if (const QString why = SystemsLab::make(systems); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_systems.start(systems);
        TargetPool pool(m_systems.netns().targetOptions());
        RunService service(pool);
        RunOperation* cutOff = service.launch(spec(1));
        bool isFull = false;
        connect(cutOff, &RunOperation::progress, this, [&](const QString& text, double fraction) {
            if (isFull || !text.startsWith("uploading the engine: ") || fraction < kShareBeforeFull)
                return;
            isFull = true;
            m_systems.host(0).run({"sh", "-c", "cat /dev/zero > /root/others"});
        });
        QString why;
        QCOMPARE(SystemsLab::await(cutOff, &why), QString());
        QVERIFY2(isFull && why.contains(m_systems.addresses()[0]) && why.contains("free"), qPrintable(why));
        QCOMPARE(m_systems.host(0).filesIn("/root/.trainyard/bundles"), QStringList());
        QCOMPARE(m_systems.host(0).remountDisk("/root", "size=1300m"), QString());

        QString planned;
        const QString run = launch(service, 1, &planned);
        QVERIFY2(planned.contains(" of the engine to one host, about "), qPrintable(planned));
        trainsStopsAndLeavesNothing(service, run);
    }

private:
    RunSpec spec(int ranks) const
    {
        RunSpec spec = m_systems.spec(2, kSystemSteps);
        for (NodeSpec& node : spec.cluster.nodes)
            node.slotCount = ranks;
        spec.layout.data = 2 * ranks;
        spec.batch = {8, 4 / ranks, 1};
        return spec;
    }

    /// The run's id, and what was said before anything was sent.
    QString launch(RunService& service, int ranks, QString* planned)
    {
        RunOperation* launch = service.launch(spec(ranks));
        connect(launch, &RunOperation::planned, this, [planned](const QString& text) { *planned = text; });
        QElapsedTimer timer;
        timer.start();
        const QString run = SystemsLab::await(launch);
        qInfo("launched in %.1f s: %s", timer.elapsed() / 1e3, qPrintable(*planned));
        return run;
    }

    void trainsStopsAndLeavesNothing(RunService& service, const QString& run)
    {
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
    }

    /// A program of this machine finds that out, if the system has one that was linked here.
    void isOlderThanTheBuild(const HostSystem& system)
    {
        if (!system.root.endsWith("glibc-2.17"))
            return;
        const auto newer = m_systems.host(0).run({"/opt/newer"});
        QVERIFY2(!newer.ok() && newer.errors.contains("not found (required by /opt/newer)"), newer.errors);
    }

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
        Deployer deployer(bundle->with({}), {&pool.target(hosts[0]), &pool.target(hosts[1])});
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
