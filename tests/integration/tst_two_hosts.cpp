#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "app/hosts/model/host_probes.h"
#include "engine/planner/calibration/probed_node.h"
#include "engine/records/journal.h"
#include "remote/launch/run_service.h"
#include "tests/support/bundle/engine_bundle.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/lab/small_data_set.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr int kSteps = 100'000; ///< more than the test waits for: it stops the run
/// That the desk does not have, when the network or the desk comes back.
constexpr quint64 kStepsMissed = 50;

const QString kHostData = "/root/data";

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QString waitFor(RunOperation* operation, QString* error)
{
    QString id;
    bool over = false;
    QObject::connect(operation, &RunOperation::finished, operation, [&](const Result<QString>& result) {
        over = true;
        if (result.ok())
            id = *result;
        else
            *error = QString::fromStdString(result.error().text());
    });
    [&] { AWAIT(over); }();
    return id;
}

} // namespace

/// The whole road on two machines: deploy, train across both, watch, lose the network, close the desk and
/// open it again, stop. Not one record may be missing or doubled.
class TestTwoHosts : public QObject {
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
        makeDataset();
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "1200m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        for (int i = 0; i < 2; ++i)
            QVERIFY(
                lab::runCommand({"cp", "-r", m_dir.filePath("data"), m_lab->host(i).path(kHostData)}).ok());
    }
    void cleanupTestCase() { m_lab.reset(); }

    void trainsAcrossBothAndLosesNoRecord()
    {
        TargetPool pool(m_lab->targetOptions());
        TargetOptions quick = m_lab->targetOptions();
        quick.pingInterval = std::chrono::milliseconds(500);
        quick.lostAfter = std::chrono::seconds(3); // users have 13 s: see tst_network_faults
        TargetPool watching(quick);
        RunService service(pool);
        QString error;
        QElapsedTimer timer;
        timer.start();
        const QString run = waitFor(service.launch(spec()), &error);
        QVERIFY2(!run.isEmpty(), qPrintable(error));
        qInfo() << "deployed and launched in" << timer.restart() << "ms";

        auto follower = std::make_unique<RunFollower>(run, hosts(), watching);
        auto ledger = std::make_unique<RecordLedger>(*follower);
        follower->start();
        QTRY_VERIFY2_WITH_TIMEOUT(ledger->count("steps") > 20, qPrintable(lastWords(run)), kPatienceMs);

        m_lab->cutDesk();
        AWAIT_EQUAL(follower->linkState(), LinkState::Lost);
        AWAIT(stepsOnHost(run) > ledger->count("steps") + kStepsMissed);
        const auto before = ledger->count("steps");
        m_lab->restoreDesk();
        timer.restart();
        AWAIT(ledger->count("steps") > before);
        qInfo() << "records again" << timer.elapsed() << "ms after the network";
        AWAIT_EQUAL(follower->linkState(), LinkState::Live);
        QVERIFY2(ledger->complaints().isEmpty(), qPrintable(ledger->complaints()));

        follower.reset(); // the window closes; the run goes on
        const auto seen = ledger->count("steps");
        AWAIT(stepsOnHost(run) > seen + kStepsMissed);
        follower = std::make_unique<RunFollower>(run, hosts(), watching);
        ledger = std::make_unique<RecordLedger>(*follower);
        QSignalSpy finished(follower.get(), &RunFollower::finished);
        follower->start();
        AWAIT(ledger->count("steps") > seen);

        const Status early = removed(service, run);
        QVERIFY(!early.ok());
        QCOMPARE(early.error().kind, ErrorKind::Refused);
        QVERIFY2(early.error().text().starts_with("2 of 2 hosts"), early.error().text().c_str());
        QCOMPARE(waitFor(service.stop(run), &error), run);
        for (int i = 0; i < 2; ++i)
            QCOMPARE(m_lab->host(i).run({"pgrep", "-f", "trainyard-worker"}).output, QByteArray());
        AWAIT_EQUAL(finished.size(), 1);
        QVERIFY2(ledger->complaints().isEmpty(), qPrintable(ledger->complaints()));
        compareMirrors(run);
        QCOMPARE(lastState(run), RunState::Stopped);
        qInfo() << ledger->count("steps") << "steps";
        follower.reset();

        const Status late = removed(service, run);
        QVERIFY2(late.ok(), late.ok() ? "" : late.error().text().c_str());
        for (int i = 0; i < 2; ++i)
            QVERIFY(!QFile::exists(onHost(i, run, {})));
        QCOMPARE(lastState(run), RunState::Stopped); // the desk's own records stay
        QVERIFY(removed(service, run).ok());         // to ask again is fine
    }

    void probesBothAndTheNetworkBetweenThem()
    {
        TargetPool pool(m_lab->targetOptions());
        RunService service(pool);
        HostProbes probes(service, spec());
        std::optional<Result<ProbeReport>> report;
        connect(&probes, &HostProbes::finished, this, [&](const auto& result) { report = result; });
        probes.start();
        AWAIT(report.has_value());
        QVERIFY2(report->ok(), report->ok() ? "" : report->error().text().c_str());
        const ProbedHardware& hardware = (*report)->hardware;
        QCOMPARE(hardware.hosts.size(), std::size_t{2});
        QCOMPARE(hardware.hosts.back(), hosts().back().toStdString());
        QCOMPARE(hardware.ranksPerHost, 1);
        const auto node = probedNode(**report, "2026-01-31");
        QVERIFY2(node.ok(), node.ok() ? "" : node.error().text().c_str());
        QVERIFY(node->network.latency > 0);
        QVERIFY(node->network.points.size() > 2);
        qInfo() << "network:" << node->network.points.back().bandwidth / 1e9 << "GB/s, latency"
                << 1e6 * node->network.latency << "us; error band" << node->calibration->errorBand;
        for (int i = 0; i < 2; ++i)
            AWAIT(!anyProbeOn(i));
    }

private:
    Status removed(RunService& service, const QString& run)
    {
        std::optional<Status> answer;
        service.removeFromHosts(run, this, [&](const Status& status) { answer = status; });
        [&] { AWAIT(answer.has_value()); }();
        return answer.value_or(failed("no answer"));
    }

    bool anyProbeOn(int host) const
    {
        const QDir runs(m_lab->host(host).path("/root/.trainyard/runs"));
        for (const QString& run : runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            if (QFile::exists(runs.filePath(run + "/probe.json")))
                return true;
        }
        return false;
    }

    QStringList hosts() const { return {m_lab->host(0).address(), m_lab->host(1).address()}; }

    void makeDataset()
    {
        const QString trouble = lab::makeSmallDataSet(m_dir.filePath("data"));
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }

    RunSpec spec() const
    {
        RunSpec spec;
        spec.name = "two-hosts";
        spec.model.layers = 2;
        spec.model.hidden = 32;
        spec.model.heads = 2;
        spec.model.intermediate = 64;
        spec.model.maxPositions = 64;
        spec.model.vocabulary = lab::vocabularySizeOf(m_dir.filePath("data"));
        spec.cluster.nodes.clear();
        for (const QString& host : hosts())
            spec.cluster.nodes.push_back({host.toStdString(), 1, 0});
        spec.layout.data = 2;
        spec.batch = {8, 4, 1};
        spec.dataset.path = kHostData.toStdString();
        spec.launch.steps = kSteps;
        return spec;
    }

    QString onHost(int host, const QString& run, const QString& file) const
    {
        return m_lab->host(host).path("/root/.trainyard/runs/" + run + '/' + file);
    }

    /// A node's sampler may have a last word when the run is over.
    void compareMirrors(const QString& run) const
    {
        const QString mirror = m_dir.filePath("desk/runs/" + run + "/journal/");
        AWAIT_EQUAL(readAll(mirror + "steps"), readAll(onHost(0, run, "journal/steps")));
        AWAIT_EQUAL(readAll(mirror + "run"), readAll(onHost(0, run, "journal/run")));
        AWAIT_EQUAL(readAll(mirror + "node-0"), readAll(onHost(0, run, "journal/node-0")));
        AWAIT_EQUAL(readAll(mirror + "node-1"), readAll(onHost(1, run, "journal/node-1")));
        QVERIFY(!readAll(mirror + "node-1").isEmpty());
    }

    RunState lastState(const QString& run) const
    {
        RunState last = RunState::Pending;
        const auto journal = readJournal(m_dir.filePath("desk/runs/" + run + "/journal/run").toStdString());
        for (const Record& record : journal.ok() ? journal->records : std::vector<Record>{}) {
            if (const auto* state = std::get_if<StateRecord>(&record.payload))
                last = state->state;
        }
        return last;
    }

    quint64 stepsOnHost(const QString& run) const
    {
        const auto journal = readJournal(onHost(0, run, "journal/steps").toStdString());
        return journal.ok() && !journal->records.empty() ? journal->records.back().sequence : 0;
    }

    /// For a failed launch: what the supervisor and the ranks said.
    QString lastWords(const QString& run) const
    {
        return readAll(onHost(0, run, "supervisor.log")) + readAll(onHost(0, run, "ranks/0000.log")) +
               readAll(onHost(1, run, "ranks/0001.log"));
    }

    QTemporaryDir m_dir{
        "/dev/shm/trainyard-two-hosts-XXXXXX"}; // the bundle has half a GiB: not on a slow disk
    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestTwoHosts)
#include "tst_two_hosts.moc"
