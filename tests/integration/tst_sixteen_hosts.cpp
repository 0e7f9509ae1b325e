#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/launch/run_service.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/lab/small_data_set.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr int kHosts = 16;
constexpr int kSteps = 100'000; ///< more than the test waits for: it stops the run


struct Outcome {
    QString run; ///< empty when it failed
    QString error;
};

Outcome waitFor(RunOperation* operation)
{
    Outcome outcome;
    bool over = false;
    QObject::connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& result) {
        over = true;
        (result.ok() ? outcome.run : outcome.error) =
            result.ok() ? *result : QString::fromStdString(result.error().text());
    });
    [&] { QTRY_VERIFY_WITH_TIMEOUT(over, 4 * kPatienceMs); }();
    return outcome;
}

} // namespace

/// Sixteen machines, one rank each: deploy, launch through mpirun, watch, stop. The hosts share one disk for
/// what is deployed, as clusters do: sixteen engines would not fit into the memory that is their disk.
class TestSixteenHosts : public QObject {
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
        lab::NetnsLab::Options options;
        options.hosts = kHosts;
        options.diskSize = "1500m"; // of the shared folder; a host's own disk stays almost empty
        options.sharedFolder = "/root";
        m_lab = std::make_unique<lab::NetnsLab>(options);
        QElapsedTimer timer;
        timer.start();
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        qInfo() << kHosts << "hosts up in" << timer.elapsed() << "ms";
        makeDataset();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void trainsOnAllOfThem()
    {
        TargetPool pool(m_lab->targetOptions());
        RunService service(pool);
        QElapsedTimer timer;
        timer.start();
        const Outcome launched = waitFor(service.launch(spec()));
        QVERIFY2(!launched.run.isEmpty(), qPrintable(launched.error));
        qInfo() << "deployed and launched in" << timer.restart() << "ms";

        RunFollower follower(launched.run, hosts(), pool);
        RecordLedger ledger(follower);
        QSignalSpy finished(&follower, &RunFollower::finished);
        follower.start();
        QTRY_VERIFY_WITH_TIMEOUT(ledger.count("steps") > 0, 3 * kPatienceMs);
        qInfo() << "first step after" << timer.restart() << "ms";
        AWAIT(ledger.count("steps") > 10);
        qInfo() << "ten more steps in" << timer.restart() << "ms";
        for (int i = 0; i < kHosts; ++i) {
            AWAIT(ledger.count(QString("node-%1").arg(i)) > 0); // each is watched
            QCOMPARE(workersOn(i), 1);
        }

        timer.restart();
        const Outcome stopped = waitFor(service.stop(launched.run));
        QVERIFY2(stopped.run == launched.run, qPrintable(stopped.error));
        qInfo() << "stopped in" << timer.restart() << "ms";
        for (int i = 0; i < kHosts; ++i)
            QCOMPARE(workersOn(i), 0);
        AWAIT_EQUAL(finished.size(), 1);
        QVERIFY2(ledger.complaints().isEmpty(), qPrintable(ledger.complaints()));

        const Outcome again = waitFor(service.launch(spec()));
        QVERIFY2(!again.run.isEmpty(), qPrintable(again.error));
        qInfo() << "launched again, nothing to deploy, in" << timer.restart() << "ms";
        QVERIFY(!waitFor(service.stop(again.run)).run.isEmpty());
    }

private:
    QStringList hosts() const
    {
        QStringList addresses;
        for (int i = 0; i < kHosts; ++i)
            addresses << m_lab->host(i).address();
        return addresses;
    }

    int workersOn(int host) const
    {
        const auto processes = lab::processTree(m_lab->host(host).pid());
        return int(std::count_if(processes.begin(), processes.end(), [](const lab::LabProcess& process) {
            return process.name == "trainyard-worke"; // as the kernel cuts it
        }));
    }

    void makeDataset()
    {
        const QString trouble = lab::makeSmallDataSet(m_dir.filePath("data"), kHosts);
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        QVERIFY(
            lab::runCommand({"cp", "-r", m_dir.filePath("data"), m_lab->host(0).path("/root/data")}).ok());
    }

    RunSpec spec() const
    {
        RunSpec spec;
        spec.name = "sixteen-hosts";
        spec.model.layers = 1;
        spec.model.hidden = 32;
        spec.model.heads = 2;
        spec.model.intermediate = 64;
        spec.model.maxPositions = 64;
        spec.model.vocabulary = lab::vocabularySizeOf(m_dir.filePath("data"));
        spec.cluster.nodes.clear();
        for (const QString& host : hosts())
            spec.cluster.nodes.push_back({host.toStdString(), 1, 0});
        spec.layout.data = kHosts;
        spec.batch = {kHosts, 1, 1};
        spec.dataset.path = "/root/data";
        spec.launch.steps = kSteps;
        return spec;
    }

    QTemporaryDir m_dir{"/dev/shm/trainyard-sixteen-hosts-XXXXXX"}; // half a GiB: not on a slow disk
    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestSixteenHosts)
#include "tst_sixteen_hosts.moc"
