#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "remote/deploy/deployer.h"
#include "remote/target/target_pool.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr std::size_t kMiBytes = 1024 * 1024;

} // namespace

class TestDeployer : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "160m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_dir = std::make_unique<QTemporaryDir>();
        for (int i = 0; i < 2; ++i)
            m_lab->host(i).run(
                {"sh", "-c", "rm -rf /root/.trainyard/cas /root/.trainyard/bundles /root/filler"});
    }
    void cleanup() { m_pool.reset(); }

    void putsABundleOnTwoHostsAndSendsItOnlyOnce()
    {
        const Bundle bundle = makeBundle(20 * kMiBytes);
        const Result first = deploy(bundle, 2);
        QVERIFY2(first.status.ok(), first.status.ok() ? "" : first.status.error().text().c_str());
        QCOMPARE(first.sent, qint64(bundle.totalBytes()) * 2);
        for (int i = 0; i < 2; ++i) {
            const QString program =
                "/root/.trainyard/bundles/" + QString::fromStdString(bundle.id) + "/bin/hello";
            QCOMPARE(m_lab->host(i).run({program}).output, QByteArray("hello\n"));
        }
        const Result second = deploy(bundle, 2);
        QVERIFY(second.status.ok());
        QCOMPARE(second.sent, qint64(0));
        qInfo() << "first" << first.ms << "ms, again" << second.ms << "ms";
    }

    void saysWhatItSendsBeforeItSends()
    {
        const Bundle bundle = makeBundle(2 * kMiBytes);
        Deployer deployer(bundle, {&target(0), &target(1)});
        QSignalSpy finished(&deployer, &Deployer::finished);
        std::optional<DeployPlan> plan;
        qint64 sentBefore = 0;
        connect(&deployer, &Deployer::advanced, this, [&](const DeployProgress& progress) {
            if (!plan)
                sentBefore = std::max(sentBefore, progress.done);
        });
        connect(&deployer, &Deployer::planned, this, [&](const DeployPlan& planned) { plan = planned; });
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        QVERIFY(plan);
        QCOMPARE(plan->hosts, 2);
        QCOMPARE(plan->bytes, qint64(bundle.totalBytes()) * 2);
        QCOMPARE(sentBefore, qint64(0));
    }

    void sendsOnlyWhatANewerBundleChanged()
    {
        QVERIFY(deploy(makeBundle(8 * kMiBytes), 1).status.ok());
        writeBundle(folder(), {{"bin/hello", "#!/bin/sh\necho hello again\n", true},
                               {"lib/big", noise(8 * kMiBytes, 1)}});
        const Bundle newer = Bundle::load(folder(), TRAINYARD_VERSION).value();
        const Result result = deploy(newer, 1);
        QVERIFY(result.status.ok());
        QCOMPARE(result.sent, qint64(newer.files[0].size));
    }

    void goesOnAfterTheLinkBroke()
    {
        const Bundle bundle = makeBundle(60 * kMiBytes);
        Deployer deployer(bundle, {&target(0)});
        QSignalSpy finished(&deployer, &Deployer::finished);
        QList<qint64> points;
        int breaks = 0;
        connect(&deployer, &Deployer::progress, this, [&](const QString&, qint64 done, qint64) {
            if (breaks < 3 && done > (breaks + 1) * qint64(12 * kMiBytes)) {
                ++breaks;
                points << done;
                QTimer::singleShot(0, this, [this] { m_lab->host(0).resetConnections(); });
            }
        });
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto status = finished[0][0].value<Status>();
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
        QCOMPARE(breaks, 3);
        QVERIFY(m_lab->host(0)
                    .run({"test", "-d", "/root/.trainyard/bundles/" + QString::fromStdString(bundle.id)})
                    .ok());
    }

    void saysWhatADiskNeedsAndHas()
    {
        QVERIFY(m_lab->host(0).run({"sh", "-c", "head -c 120000000 /dev/zero > /root/filler"}).ok());
        const Bundle bundle = makeBundle(60 * kMiBytes);
        const Result result = deploy(bundle, 2);
        QCOMPARE(result.status.error().kind, ErrorKind::Refused);
        const std::string text = result.status.error().text();
        QVERIFY2(text.find(m_lab->host(0).address().toStdString()) != std::string::npos, text.c_str());
        QVERIFY2(text.find(std::to_string(bundle.totalBytes()) + " bytes") != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("are free") != std::string::npos, text.c_str());
        QVERIFY(!m_lab->host(0).run({"sh", "-c", "ls /root/.trainyard/bundles/*"}).ok());
        QVERIFY(m_lab->host(1).run({"sh", "-c", "ls /root/.trainyard/bundles/*"}).ok());
        QVERIFY(m_lab->host(0).run({"rm", "/root/filler"}).ok());
        QVERIFY(deploy(bundle, 2).status.ok());
    }

    /// The disk has room when it is asked, and is full in the middle.
    void leavesNothingHalfWhenTheDiskFillsUp()
    {
        const Bundle bundle = makeBundle(90 * kMiBytes);
        Deployer deployer(bundle, {&target(0)});
        QSignalSpy finished(&deployer, &Deployer::finished);
        bool filled = false;
        connect(&deployer, &Deployer::progress, this, [&](const QString&, qint64 done, qint64) {
            if (done > qint64(8 * kMiBytes) && !std::exchange(filled, true))
                m_lab->host(0).run({"sh", "-c", "head -c 200000000 /dev/zero > /root/filler"});
        });
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto status = finished[0][0].value<Status>();
        QVERIFY(!status.ok());
        qInfo() << status.error().text().c_str();
        QVERIFY(!m_lab->host(0).run({"sh", "-c", "ls /root/.trainyard/bundles/*"}).ok());
        QVERIFY(m_lab->host(0).run({"rm", "/root/filler"}).ok());
        QVERIFY(deploy(bundle, 1).status.ok());
    }

    void listsEveryHostThatFailed()
    {
        m_pool->target(m_lab->host(0).address());
        m_lab->host(1).stopSshd();
        const Result result = deploy(makeBundle(1000), 2);
        QVERIFY(m_lab->host(1).startSshd());
        QCOMPARE(result.status.error().kind, ErrorKind::Unreachable);
        QVERIFY(result.status.error().message.find(m_lab->host(1).address().toStdString()) !=
                std::string::npos);
    }

    void canBeCancelled()
    {
        Deployer deployer(makeBundle(60 * kMiBytes), {&target(0)});
        QSignalSpy finished(&deployer, &Deployer::finished);
        bool asked = false; // at the first byte: a look every so often would come too late on a fast machine
        connect(&deployer, &Deployer::progress, &deployer, [&](const QString&, qint64 done, qint64) {
            if (done > 0 && !std::exchange(asked, true))
                QMetaObject::invokeMethod(&deployer, &Deployer::cancel, Qt::QueuedConnection);
        });
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        QCOMPARE(finished[0][0].value<Status>().error().kind, ErrorKind::Cancelled);
    }

private:
    struct Result {
        Status status;
        qint64 sent = 0;
        qint64 ms = 0;
    };
    std::filesystem::path folder() const { return m_dir->path().toStdString(); }
    Target& target(int host) { return m_pool->target(m_lab->host(host).address()); }

    Bundle makeBundle(std::size_t size) const
    {
        writeBundle(folder(), {{"bin/hello", "#!/bin/sh\necho hello\n", true}, {"lib/big", noise(size, 1)}});
        return Bundle::load(folder(), TRAINYARD_VERSION).value();
    }

    Result deploy(const Bundle& bundle, int hosts)
    {
        QList<Target*> targets;
        for (int i = 0; i < hosts; ++i)
            targets << &target(i);
        Deployer deployer(bundle, targets);
        QSignalSpy finished(&deployer, &Deployer::finished);
        QMap<QString, qint64> totals;
        connect(&deployer, &Deployer::progress, this,
                [&](const QString& host, qint64, qint64 total) { totals[host] = total; });
        QElapsedTimer timer;
        timer.start();
        deployer.start();
        finished.wait(kPatienceMs);
        Result result;
        result.ms = timer.elapsed();
        result.status = finished.isEmpty() ? Status(failed("no end")) : finished[0][0].value<Status>();
        for (const qint64 total : totals)
            result.sent += total;
        return result;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDeployer)
#include "tst_deployer.moc"
