#include <QDir>
#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/launch/run_service.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr int kHosts = 3;
constexpr int kBroken = 1; ///< the host that fails
const QString kRoot = "/root/.trainyard";
/// Of a data set that is nothing but its manifest.
const QByteArray kManifest = R"({"version": 1, "sequence_length": 128, "max_predictions": 20,
    "vocabulary_size": 1000, "vocabulary_sha256": "", "statistics": {"documents": 1, "tokens": 1},
    "shards": [{"file": "a", "rows": 1000, "sha256": "", "training": true}]})";

} // namespace

/// One of several hosts fails while a run is being started, at every stage that there is.
class TestLaunchFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
        const auto agent = readFile(TRAINYARD_BIN_DIR "/trainyard-agent"); // guards the ranks on the nodes
        QVERIFY(agent.ok());
        // The worker stands still like one that trains, and is no MPI program: mpirun starts it all the same.
        writeBundle(m_dir.filePath("bundle").toStdString(),
                    {{"bin/trainyard-worker", "#!/bin/sh\nexec sleep 600\n", true},
                     {"bin/trainyard-agent", *agent, true},
                     {"lib/libx.so", noise(300'000, 1)}});
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "120m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        for (int i = 0; i < kHosts; ++i) {
            writeManifest(i);
            // What the head knows of the others comes from the desk alone.
            m_lab->host(i).run({"sh", "-c", "rm -f /root/.ssh/known_hosts*"});
        }
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_service = std::make_unique<RunService>(*m_pool);
    }
    void cleanup()
    {
        m_service.reset();
        m_pool.reset();
    }

    void f56_oneOfManyFails_data()
    {
        QTest::addColumn<QString>("breaks"); ///< a command on the host
        QTest::addColumn<QString>("mends");
        QTest::addColumn<QString>("says");
        const QString blob = kRoot + "/cas/" + shelfOfLibrary();
        QTest::addRow("connect") << "kill $(cat /run/sshd.pid)"
                                 << "sshd"
                                 << "refused";
        QTest::addRow("probe") << "mount --bind /dev/null $(readlink -f /usr/bin/mpirun)"
                               << "umount $(readlink -f /usr/bin/mpirun)"
                               << "MPI";
        QTest::addRow("reach: the head has no key for it")
            << "sed -i 's/^/from=\"!%HEAD%,*\" /' /root/.ssh/authorized_keys"
            << "sed -i 's/^from=\"[^\"]*\" //' /root/.ssh/authorized_keys"
            << "ssh-copy-id";
        QTest::addRow("have") << "mkdir -p " + blob + ".sums; touch " + blob + ".part"
                              << "rm -r " + blob + ".sums " + blob + ".part"
                              << "sums";
        QTest::addRow("put") << "touch " + kRoot + "/cas"
                             << "rm " + kRoot + "/cas"
                             << "cas";
        QTest::addRow("assemble") << "touch " + kRoot + "/bundles"
                                  << "rm " + kRoot + "/bundles"
                                  << "bundles";
        QTest::addRow("create-run") << "touch " + kRoot + "/runs"
                                    << "rm " + kRoot + "/runs"
                                    << "runs";
        QTest::addRow("launch") << "echo 'export TRAINYARD_HOME=/root/elsewhere' >> /root/.bashrc"
                                << "rm -rf /root/.bashrc /root/elsewhere"
                                << "elsewhere";
    }
    void f56_oneOfManyFails()
    {
        QFETCH(QString, breaks);
        QFETCH(QString, mends);
        QFETCH(QString, says);
        FaultReport report(56, QString("one of %1 hosts fails: %2").arg(kHosts).arg(QTest::currentDataTag()),
                           "no launch, the host named, nothing of the run left on any host");
        clear();
        lab::LabHost& broken = m_lab->host(kBroken);
        breaks.replace("%HEAD%", m_lab->host(0).address());
        QVERIFY(broken.run({"sh", "-c", "mkdir -p " + kRoot + "; " + breaks}).ok());
        report.injected(breaks);
        const Result<QString> run = launched();
        if (mends == "sshd")
            QVERIFY(broken.startSshd());
        else
            QVERIFY(broken.run({"sh", "-c", mends}).ok());
        if (run.ok())
            stop(*run);
        QVERIFY(!run.ok());
        const QString text = QString::fromStdString(run.error().text());
        QVERIFY2(text.contains(broken.address()) || text.contains(broken.name()), qPrintable(text));
        QVERIFY2(text.contains(says), qPrintable(text));
        QVERIFY(!run.error().hint.empty() || says != "ssh-copy-id");
        expectNothingLeft();
        report.observed('"' + text + '"');
    }

    void f56_allThatFailAreNamed()
    {
        FaultReport report(56, "two of three hosts fail at different stages",
                           "both named, with their reasons");
        clear();
        m_lab->host(1).run({"sh", "-c", "mkdir -p " + kRoot + "; touch " + kRoot + "/cas"});
        m_lab->host(2).run({"sh", "-c", "mkdir -p " + kRoot + "; touch " + kRoot + "/bundles"});
        report.injected("no store on host 2, no bundles on host 3");
        const Result<QString> run = launched();
        QVERIFY(!run.ok());
        const QString text = QString::fromStdString(run.error().text());
        QVERIFY2(text.contains("2 of 3 hosts"), qPrintable(text));
        QVERIFY2(text.contains(m_lab->host(1).address()) && text.contains(m_lab->host(2).address()),
                 qPrintable(text));
        for (int i = 1; i < kHosts; ++i)
            m_lab->host(i).run({"sh", "-c", "rm -f " + kRoot + "/cas " + kRoot + "/bundles"});
        expectNothingLeft();
        report.observed('"' + text + '"');
    }

    /// An undisturbed launch tells its stages; then each is reached twice more and cancelled there: before
    /// the hosts are asked for anything, and while they do it.
    void f58_cancelledAtEveryStageOfALaunch()
    {
        FaultReport report(58, "cancel in every state: at each stage of a launch",
                           "over at once; nothing of the run left, neither on a host nor on the desk");
        const QStringList stages = stagesOfALaunch();
        QVERIFY2(stages.size() >= 4, qPrintable(stages.join(", ")));
        qint64 slowestMs = 0;
        for (const QString& stage : stages) {
            for (const Qt::ConnectionType when : {Qt::DirectConnection, Qt::QueuedConnection}) {
                clear();
                const auto [run, tookMs] = cancelledAt(stage, when);
                report.injected(stage);
                QVERIFY2(!run.ok(), qPrintable(stage));
                QVERIFY2(run.error().kind == ErrorKind::Cancelled, run.error().text().c_str());
                expectNothingLeft();
                if (QTest::currentTestFailed())
                    QFAIL(qPrintable(stage));
                slowestMs = std::max(slowestMs, tookMs);
            }
        }
        report.observed(
            QString("%1 stages, twice each; over after %2 ms at most").arg(stages.size()).arg(slowestMs));
    }

    void f58_hostDoesNotAnswerTheCancel()
    {
        FaultReport report(
            58, "cancel while the run is being made, one host cut off",
            "over in bounded time; the host named; the desk keeps the run; nothing on the others");
        clear();
        RunOperation* operation = m_service->launch(spec());
        connect(operation, &RunOperation::progress, operation, [&, operation](const QString& text) {
            if (!text.startsWith("creating the run"))
                return;
            m_lab->host(kBroken).cutLink();
            QMetaObject::invokeMethod(
                operation, [operation] { operation->cancel(); }, Qt::QueuedConnection);
        });
        QElapsedTimer sinceStart;
        sinceStart.start();
        const Result<QString> run = resultOf(operation);
        const qint64 tookMs = sinceStart.elapsed();
        m_lab->host(kBroken).restoreLink();
        report.injected("the link of host 2 was cut");
        QVERIFY(!run.ok());
        const QString text = QString::fromStdString(run.error().text());
        QCOMPARE(run.error().kind, ErrorKind::Cancelled);
        QVERIFY2(text.contains(m_lab->host(kBroken).address()), qPrintable(text));
        QCOMPARE(runsOfTheDesk().size(), 1);
        for (int i = 0; i < kHosts; ++i)
            QVERIFY(i == kBroken || !hasRuns(i));
        report.observed(QString("\"%1\" after %2 ms").arg(text).arg(tookMs));
        // What is still on its way to the host would make the run there during another test.
        m_lab->host(kBroken).powerOff();
        QCOMPARE(m_lab->host(kBroken).powerOn(), QString());
    }

    /// ZeRO splits the optimizer's state: every host keeps a part of a checkpoint.
    void aSplitLayoutStartsWithoutASharedFolderAndSaysWhereCheckpointsAre()
    {
        clear();
        RunSpec split = spec();
        split.memory.zeroStage = 1;
        QStringList notices;
        RunOperation* operation = m_service->launch(split);
        connect(operation, &RunOperation::noticed, operation, [&](const QString& text) { notices << text; });
        const Result<QString> run = resultOf(operation);
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        stop(*run);
        QVERIFY2(notices.contains("checkpoints are kept on each host and copied to its neighbour"),
                 qPrintable(notices.join('\n')));
    }

    void aResumeInASplitLayoutStartsWithoutASharedFolder()
    {
        clear();
        const Result<QString> run = launched();
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        stop(*run);
        RunSpec split = spec();
        split.memory.zeroStage = 1;
        const Result<QString> resumed = resultOf(m_service->resume(*run, {.layout = split}));
        QVERIFY2(resumed.ok(), resumed.ok() ? "" : resumed.error().text().c_str());
        stop(*run);
    }

    void aSplitLayoutStartsWithASharedFolder()
    {
        lab::NetnsLab shared({kHosts, "120m", {}, "/root"});
        QCOMPARE(shared.start(), QString());
        shared.trustHosts();
        QVERIFY(shared.host(0)
                    .run({"sh", "-c", "mkdir /root/data; cat > /root/data/manifest.json"}, kManifest)
                    .ok());
        RunSpec split = spec();
        split.memory.zeroStage = 1;
        for (int i = 0; i < kHosts; ++i)
            split.cluster.nodes[std::size_t(i)].host = shared.host(i).address().toStdString();
        TargetPool pool(shared.targetOptions());
        RunService service(pool);
        const Result<QString> run = resultOf(service.launch(split));
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        StopOptions options;
        options.grace = std::chrono::seconds(0);
        options.checkpoint = false;
        QVERIFY(resultOf(service.stop(*run, options)).ok());
    }

    /// After all that: everything is mended, no host knows another one's key, and the run starts on all.
    void startsWithHostKeysThatOnlyTheDeskKnows()
    {
        clear();
        for (int i = 0; i < kHosts; ++i)
            QVERIFY(!m_lab->host(i).run({"ls", "/root/.ssh/known_hosts"}).ok());
        const Result<QString> run = launched();
        QVERIFY2(run.ok(), run.ok() ? "" : run.error().text().c_str());
        for (int i = 0; i < kHosts; ++i)
            AWAIT(m_lab->host(i).run({"pgrep", "-f", "sleep 600"}).ok());
        QVERIFY(m_lab->host(0).run({"ls", kRoot + "/runs/" + *run + "/attempts/0001.known_hosts"}).ok());
        QVERIFY(!m_lab->host(0).run({"ls", "/root/.ssh/known_hosts"}).ok());
        stop(*run);
        for (int i = 0; i < kHosts; ++i)
            QVERIFY(!m_lab->host(i).run({"pgrep", "-f", "sleep 600"}).ok());
    }

private:
    static Result<QString> resultOf(RunOperation* operation)
    {
        std::optional<Result<QString>> outcome;
        connect(operation, &RunOperation::finished, operation,
                [&](const Result<QString>& result) { outcome.emplace(result); });
        [&] { AWAIT(outcome.has_value()); }();
        return outcome.value_or(failed("no end"));
    }

    void stop(const QString& run)
    {
        StopOptions options;
        options.grace = std::chrono::seconds(0);
        options.checkpoint = false;
        const Result<QString> stopped = resultOf(m_service->stop(run, options));
        QVERIFY2(stopped.ok(), stopped.ok() ? "" : stopped.error().text().c_str());
    }

    Result<QString> launched() { return resultOf(m_service->launch(spec())); }

    /// What a launch says, up to the first figure in it; each once.
    QStringList stagesOfALaunch()
    {
        clear();
        QStringList stages;
        RunOperation* operation = m_service->launch(spec());
        connect(operation, &RunOperation::progress, operation, [&](const QString& text) {
            if (const QString stage = stageIn(text); !stages.contains(stage))
                stages << stage;
        });
        if (const Result<QString> run = resultOf(operation); run.ok())
            stop(*run);
        return stages;
    }
    static QString stageIn(const QString& text)
    {
        static const QRegularExpression figure("[0-9]");
        return text.section(figure, 0, 0).trimmed();
    }

    /// The launch's result, and how long it took after the cancel.
    std::pair<Result<QString>, qint64> cancelledAt(const QString& stage, Qt::ConnectionType when)
    {
        QElapsedTimer cancelled;
        RunOperation* operation = m_service->launch(spec());
        connect(operation, &RunOperation::progress, operation, [&, operation](const QString& text) {
            if (cancelled.isValid() || stageIn(text) != stage)
                return;
            cancelled.start();
            QMetaObject::invokeMethod(
                operation, [operation] { operation->cancel(); }, when);
        });
        Result<QString> result = resultOf(operation);
        return {std::move(result), cancelled.isValid() ? cancelled.elapsed() : 0};
    }

    RunSpec spec() const
    {
        RunSpec spec;
        spec.name = "many-hosts";
        spec.model.layers = 2;
        spec.model.hidden = 32;
        spec.model.heads = 2;
        spec.model.intermediate = 64;
        spec.model.maxPositions = 128;
        spec.model.vocabulary = 1000;
        spec.cluster.nodes.clear();
        for (int i = 0; i < kHosts; ++i)
            spec.cluster.nodes.push_back({m_lab->host(i).address().toStdString(), 1, 0});
        spec.layout.data = kHosts;
        spec.batch = {4 * kHosts, 4, 1};
        spec.dataset.path = "/root/data";
        spec.launch.steps = 10;
        return spec;
    }

    void writeManifest(int host) const
    {
        m_lab->host(host).run({"sh", "-c", "mkdir -p /root/data; cat > /root/data/manifest.json"}, kManifest);
    }

    static QString shelfOfLibrary()
    {
        const Bundle bundle = Bundle::load(findBundleFolder().value(), TRAINYARD_VERSION).value();
        const auto library = std::ranges::find(bundle.files, "lib/libx.so", &BundleEntry::path);
        const QString hash = QString::fromStdString(library->sha256);
        return hash.left(2) + '/' + hash;
    }

    void clear() const
    {
        for (int i = 0; i < kHosts; ++i)
            m_lab->host(i).run(
                {"sh", "-c", "rm -rf " + kRoot + "/cas " + kRoot + "/bundles " + kRoot + "/runs"});
        QDir(m_dir.filePath("desk/runs")).removeRecursively();
    }

    void expectNothingLeft() const
    {
        for (int i = 0; i < kHosts; ++i) {
            const QByteArray runs = runsOf(i);
            QVERIFY2(runs.isEmpty(), runs.constData());
            QVERIFY(!m_lab->host(i).run({"pgrep", "-f", "sleep 600"}).ok());
            QVERIFY(!m_lab->host(i).run({"sh", "-c", "ls -A " + kRoot + "/bundles | grep '^[.]'"}).ok());
        }
        QVERIFY(runsOfTheDesk().isEmpty());
    }
    bool hasRuns(int host) const { return !runsOf(host).isEmpty(); }
    QByteArray runsOf(int host) const
    {
        return m_lab->host(host).run({"sh", "-c", "find " + kRoot + "/runs -mindepth 1"}).output;
    }
    QStringList runsOfTheDesk() const
    {
        return QDir(m_dir.filePath("desk/runs")).entryList(QDir::NoDotAndDotDot | QDir::AllEntries);
    }

    QTemporaryDir m_dir;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
};

QTEST_GUILESS_MAIN(TestLaunchFaults)
#include "tst_launch_faults.moc"
