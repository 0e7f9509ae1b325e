#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/deploy/deployer.h"
#include "remote/target/target_pool.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr std::size_t kMebibyte = 1024 * 1024;

/// 64 with the label `long`.
int fleetSize()
{
    return qEnvironmentVariableIsSet("TRAINYARD_ALL_ROUNDS") ? 64 : 8;
}

} // namespace

/// Deployments to many hosts at once.
class TestDeployFleet : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
    }

    void sendsToAFewAtATimeAndPastOneThatFails()
    {
        lab::NetnsLab lab({fleetSize(), "48m", {}});
        QVERIFY(start(lab));
        const Bundle bundle = makeBundle(4 * kMebibyte);
        TargetPool pool(lab.targetOptions());
        lab::LabHost& dead = lab.host(fleetSize() / 2);
        dead.stopSshd();
        Deployer::Options options;
        options.atOnce = 4;
        const Deployment first = deploy(bundle, lab, pool, options);
        QVERIFY(!first.status.ok());
        const std::string text = first.status.error().text();
        QVERIFY2(text.find(dead.address().toStdString()) != std::string::npos, text.c_str());
        QVERIFY2(text.find(" hosts: ") == std::string::npos, text.c_str()); // one only
        QCOMPARE(first.last.hostsDone, fleetSize() - 1);
        QCOMPARE(first.last.hostsFailed, 1);
        QCOMPARE(first.sent, qint64(bundle.totalBytes()) * (fleetSize() - 1));
        QVERIFY2(first.mostAtOnce > 1 && first.mostAtOnce <= options.atOnce,
                 qPrintable(QString::number(first.mostAtOnce)));
        for (int i = 0; i < fleetSize(); ++i)
            QCOMPARE(has(lab.host(i), bundle), &lab.host(i) != &dead);

        QVERIFY(dead.startSshd());
        const Deployment second = deploy(bundle, lab, pool, options);
        QVERIFY2(second.status.ok(), second.status.ok() ? "" : second.status.error().text().c_str());
        QCOMPARE(second.sent, qint64(bundle.totalBytes())); // to the one that was not there
        const Deployment third = deploy(bundle, lab, pool, options);
        QVERIFY(third.status.ok());
        QCOMPARE(third.sent, qint64(0));
        qInfo() << fleetSize() << "hosts:" << first.ms << "ms, unchanged" << third.ms << "ms";
    }

    void cancelsOnAll()
    {
        lab::NetnsLab lab({3, "48m", {}});
        QVERIFY(start(lab));
        TargetPool pool(lab.targetOptions());
        Deployer deployer(makeBundle(20 * kMebibyte), targetsOf(lab, pool));
        QSignalSpy finished(&deployer, &Deployer::finished);
        int advances = 0; // a look every so often would come too late on a fast machine
        connect(&deployer, &Deployer::advanced, &deployer, [&] {
            if (++advances == 10)
                QMetaObject::invokeMethod(&deployer, &Deployer::cancel, Qt::QueuedConnection);
        });
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        QVERIFY(finished[0][0].value<Status>().error().kind == ErrorKind::Cancelled);
    }

    void hostsWithOneDiskGetItOnce()
    {
        lab::NetnsLab lab({4, "64m", {}, "/root"});
        QVERIFY(start(lab));
        TargetPool pool(lab.targetOptions());
        const Bundle bundle = makeBundle(8 * kMebibyte);
        const Deployment first = deploy(bundle, lab, pool, {});
        QVERIFY2(first.status.ok(), first.status.ok() ? "" : first.status.error().text().c_str());
        QCOMPARE(first.sent, qint64(bundle.totalBytes()));
        for (int i = 0; i < 4; ++i)
            QVERIFY(has(lab.host(i), bundle));
    }

    void aHostsOwnLibraryIsNotSent()
    {
        lab::NetnsLab lab({1, "64m", {}});
        QVERIFY(start(lab));
        const Bundle bundle = makeBundle(8 * kMebibyte);
        const auto big = std::ranges::find(bundle.files, "lib/big", &BundleEntry::path);
        QFile source(QString::fromStdString(big->source.string()));
        QVERIFY(source.open(QIODevice::ReadOnly));
        QVERIFY(lab.host(0)
                    .run({"sh", "-c", "mkdir -p /root/libtorch/lib; cat > /root/libtorch/lib/big"},
                         source.readAll())
                    .ok());
        TargetPool pool(lab.targetOptions());
        const Deployment first = deploy(bundle, lab, pool, {});
        QVERIFY2(first.status.ok(), first.status.ok() ? "" : first.status.error().text().c_str());
        QCOMPARE(first.sent, qint64(bundle.totalBytes() - big->size));
        QVERIFY2(first.notices.join(' ').contains("8 MiB") || first.notices.join(' ').contains("8.00 MiB"),
                 qPrintable(first.notices.join(' ')));
        QVERIFY(has(lab.host(0), bundle));
        QVERIFY(lab.host(0)
                    .run({"cmp", "/root/libtorch/lib/big",
                          "/root/.trainyard/bundles/" + QString::fromStdString(bundle.id) + "/lib/big"})
                    .ok());
    }

private:
    struct Deployment {
        Status status;
        qint64 sent = 0;
        qint64 ms = 0;
        int mostAtOnce = 0; ///< hosts in the middle of their upload
        DeployProgress last;
        QStringList notices;
    };

    static bool start(lab::NetnsLab& lab)
    {
        const QString trouble = lab.start();
        if (!trouble.isEmpty())
            qWarning() << trouble;
        lab.trustHosts();
        return trouble.isEmpty();
    }

    Bundle makeBundle(std::size_t size) const
    {
        const std::filesystem::path folder = m_dir.path().toStdString();
        writeBundle(folder, {{"bin/hello", "#!/bin/sh\necho hello\n", true}, {"lib/big", noise(size, 1)}});
        return Bundle::load(folder, TRAINYARD_VERSION).value();
    }

    static QList<Target*> targetsOf(lab::NetnsLab& lab, TargetPool& pool)
    {
        QList<Target*> targets;
        for (int i = 0; i < lab.hostCount(); ++i)
            targets << &pool.target(lab.host(i).address());
        return targets;
    }

    static bool has(lab::LabHost& host, const Bundle& bundle)
    {
        return host.run({"/root/.trainyard/bundles/" + QString::fromStdString(bundle.id) + "/bin/hello"})
                   .output == "hello\n";
    }

    Deployment deploy(const Bundle& bundle, lab::NetnsLab& lab, TargetPool& pool,
                      const Deployer::Options& options)
    {
        Deployer deployer(bundle, targetsOf(lab, pool), options);
        QSignalSpy finished(&deployer, &Deployer::finished);
        Deployment result;
        QMap<QString, qint64> under, totals;
        connect(&deployer, &Deployer::progress, this, [&](const QString& host, qint64 done, qint64 total) {
            totals[host] = total;
            if (done > 0 && done < total)
                under[host] = done;
            else
                under.remove(host);
            result.mostAtOnce = std::max(result.mostAtOnce, static_cast<int>(under.size()));
        });
        connect(&deployer, &Deployer::advanced, this,
                [&](const DeployProgress& progress) { result.last = progress; });
        connect(&deployer, &Deployer::noticed, this, [&](const QString& text) { result.notices << text; });
        QElapsedTimer timer;
        timer.start();
        deployer.start();
        finished.wait(3 * kPatienceMs);
        result.ms = timer.elapsed();
        result.status = finished.isEmpty() ? Status(failed("no end")) : finished[0][0].value<Status>();
        for (const qint64 total : totals)
            result.sent += total;
        return result;
    }

    QTemporaryDir m_dir;
};

QTEST_GUILESS_MAIN(TestDeployFleet)
#include "tst_deploy_fleet.moc"
