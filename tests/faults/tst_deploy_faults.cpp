#include <QEventLoop>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "engine/base/hash.h"
#include "remote/deploy/deployer.h"
#include "remote/target/target_pool.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"

using namespace trainyard;
using namespace trainyard::support;

namespace {

constexpr std::size_t kMiBytes = 1024 * 1024;
const QString kRoot = "/root/.trainyard";

/// Races of fault 53: a few in every run, all of them with the label `long`.
int races()
{
    return qEnvironmentVariableIsSet("TRAINYARD_ALL_ROUNDS") ? 100 : 6;
}

QString textOf(const Status& status)
{
    return status.ok() ? "ok" : QString::fromStdString(status.error().text());
}

} // namespace

/// What can go wrong with the engine on its way to a host's disk. Invariant I3 stands in the middle: whatever
/// happened, no half bundle is ever to be seen, and the one before still works.
class TestDeployFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "200m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
    }
    void cleanup()
    {
        m_pool.reset();
        host().unmountDisk(kRoot);
        host().run({"rm", "-rf", kRoot});
    }

    void f34_diskFullDuringAnUpload()
    {
        FaultReport report(
            34, "disk full during an upload",
            "message with bytes needed and free, old bundle intact, goes on after space is made");
        QCOMPARE(host().mountDisk(kRoot, "size=64m"), QString());
        const Bundle old = bundle("old", 2 * kMiBytes);
        QCOMPARE(textOf(deploy(old).status), QString("ok"));

        const Deployment tooBig = deploy(bundle("too big", 70 * kMiBytes));
        QVERIFY(tooBig.status.error().kind == ErrorKind::Refused);
        QVERIFY2(textOf(tooBig.status).contains("are free"), qPrintable(textOf(tooBig.status)));
        QCOMPARE(tooBig.sent, qint64(0));

        const Bundle next = bundle("next", 24 * kMiBytes);
        const Deployment full = deploy(
            next, [this] { fillDisk(); }, 6 * kMiBytes);
        QVERIFY(!full.status.ok());
        const QString free = host().run({"df", "--output=avail", "-k", kRoot}).output.simplified();
        QVERIFY2(free.endsWith(" 0"), qPrintable(free));
        report.injected("tmpfs of 64 MiB filled by another writer after 6 of 24 MiB");
        QVERIFY2(textOf(full.status).contains("needs") && textOf(full.status).contains("free"),
                 qPrintable(textOf(full.status)));
        QCOMPARE(whatIsWrongWith(old), QString());
        QVERIFY(!isThere(next));

        QVERIFY(host().run({"rm", kRoot + "/filler"}).ok());
        const Deployment again = deploy(next);
        QCOMPARE(textOf(again.status), QString("ok"));
        QCOMPARE(whatIsWrongWith(next), QString());
        QVERIFY(again.sent < full.total - full.sent + qint64(kMiBytes));
        report.observed(QString("\"%1\"; went on with %2 of %3 bytes")
                            .arg(QString::fromStdString(full.status.error().message))
                            .arg(again.sent)
                            .arg(full.total));
    }

    void f36_noInodesLeft()
    {
        FaultReport report(36, "no inodes left", "message with files needed and free, as for 34");
        QCOMPARE(host().mountDisk(kRoot, "size=64m,nr_inodes=200"), QString());
        const Bundle old = bundle("old", kMiBytes);
        QCOMPARE(textOf(deploy(old).status), QString("ok"));
        std::vector<BundleContent> many;
        for (int i = 0; i < 120; ++i)
            many.push_back({"lib/part" + std::to_string(i), noise(3000, unsigned(i))});
        writeBundle(folder("many"), many);
        const Bundle next = Bundle::load(folder("many"), TRAINYARD_VERSION).value();
        const Deployment refusedAtOnce = deploy(next);
        QVERIFY(refusedAtOnce.status.error().kind == ErrorKind::Refused);
        QVERIFY2(textOf(refusedAtOnce.status).contains("240 files more"),
                 qPrintable(textOf(refusedAtOnce.status)));
        QCOMPARE(refusedAtOnce.sent, qint64(0));

        // Room when it is asked, none when it is needed.
        QCOMPARE(host().remountDisk(kRoot, "nr_inodes=900"), QString());
        const Deployment used = deploy(next, [this] {
            host().run({"sh", "-c", "i=0; while : > " + kRoot + "/f$i; do i=$((i+1)); done 2>/dev/null"});
        });
        const QString free = host().run({"df", "--output=iavail", kRoot}).output.simplified();
        QVERIFY2(free.endsWith(" 0"), qPrintable(free));
        report.injected("tmpfs with nr_inodes=200; then 900, used up by another writer during the upload");
        QVERIFY2(!used.status.ok() && textOf(used.status).contains("0 files more"),
                 qPrintable(textOf(used.status)));
        QCOMPARE(whatIsWrongWith(old), QString());
        QVERIFY(!isThere(next));
        QVERIFY(host().run({"sh", "-c", "rm " + kRoot + "/f*"}).ok());
        QCOMPARE(textOf(deploy(next).status), QString("ok"));
        QCOMPARE(whatIsWrongWith(next), QString());
        report.observed('"' + QString::fromStdString(refusedAtOnce.status.error().message) + '"');
    }

    void f45_truncatedAndFlippedFiles_data()
    {
        QTest::addColumn<QString>("file"); ///< below the agent's folder; %1 = hash of the big file
        QTest::addColumn<QString>("damage");
        QTest::addColumn<bool>("whole"); ///< of a finished deployment, not of one that broke off
        const QString shelf = "cas/%2/%1";
        QTest::addRow("part, bit flipped") << shelf + ".part"
                                           << "flip" << false;
        QTest::addRow("part, truncated") << shelf + ".part"
                                         << "cut" << false;
        QTest::addRow("part, piece copied over another") << shelf + ".part"
                                                         << "copy" << false;
        QTest::addRow("sums, bit flipped") << shelf + ".sums"
                                           << "flip" << false;
        QTest::addRow("sums, truncated") << shelf + ".sums"
                                         << "cut" << false;
        QTest::addRow("blob, bit flipped") << shelf << "flip" << true;
        QTest::addRow("blob, truncated") << shelf << "cut" << true;
        QTest::addRow("file of the bundle, piece copied") << "bundles/%3/lib/big"
                                                          << "copy" << true;
        QTest::addRow("file of the bundle, gone") << "bundles/%3/lib/big"
                                                  << "remove" << true;
    }
    void f45_truncatedAndFlippedFiles()
    {
        QFETCH(QString, file);
        QFETCH(QString, damage);
        QFETCH(bool, whole);
        FaultReport report(45, QString("damaged: ") + QTest::currentDataTag(),
                           "found by its hash, sent again, nothing else sent");
        const Bundle sent = bundle("sent", 24 * kMiBytes);
        if (whole)
            QCOMPARE(textOf(deploy(sent).status), QString("ok"));
        else
            breakOff(sent, 12 * kMiBytes);
        const QString hash = hashOf(sent, "lib/big");
        const QString path = kRoot + '/' +
                             QString(file)
                                 .replace("%1", hash)
                                 .replace("%2", hash.left(2))
                                 .replace("%3", QString::fromStdString(sent.id));
        const QByteArray before = sumInside(path);
        QVERIFY2(!before.isEmpty(), qPrintable(path));
        m_pool.reset(); // nobody writes to it
        QVERIFY(host().run({"sh", "-c", commandFor(damage), "damage", path}).ok());
        QVERIFY(sumInside(path) != before);
        report.injected(damage + ' ' + path);
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        const Deployment again = deploy(sent);
        QCOMPARE(textOf(again.status), QString("ok"));
        QCOMPARE(whatIsWrongWith(sent), QString());
        QVERIFY(again.sent <= qint64(24 * kMiBytes));
        QVERIFY(host().run({"sh", "-c", "! ls " + kRoot + "/cas/*/*.part"}).ok());
        report.observed(QString("%1 of %2 bytes sent again").arg(again.sent).arg(sent.totalBytes()));
    }

    void f53_twoDeploymentsOfOneBundleAtOnce()
    {
        FaultReport report(53, "two deployments of one bundle at once",
                           "both succeed, one bundle, nothing left");
        const Bundle same = bundle("same", 3 * kMiBytes);
        TargetPool other(m_lab->targetOptions());
        m_pool->target(address());
        other.target(address());
        int together = 0; // races in which both had something to send: neither came after the other's end
        for (int race = 0; race < races(); ++race) {
            host().run({"sh", "-c", "rm -rf " + kRoot + "/cas " + kRoot + "/bundles"});
            Deployer first(same, {&m_pool->target(address())}), second(same, {&other.target(address())});
            QSignalSpy firstEnd(&first, &Deployer::finished), secondEnd(&second, &Deployer::finished);
            QSignalSpy firstSaid(&first, &Deployer::progress), secondSaid(&second, &Deployer::progress);
            first.start();
            second.start();
            AWAIT(!firstEnd.isEmpty() && !secondEnd.isEmpty());
            QCOMPARE(textOf(firstEnd[0][0].value<Status>()), QString("ok"));
            QCOMPARE(textOf(secondEnd[0][0].value<Status>()), QString("ok"));
            together += lackedSomething(firstSaid) && lackedSomething(secondSaid);
            QCOMPARE(whatIsWrongWith(same), QString());
            QCOMPARE(host().run({"sh", "-c", "ls -A " + kRoot + "/bundles | wc -l"}).output.trimmed(),
                     QByteArray("1"));
            QVERIFY(
                host().run({"sh", "-c", "! ls " + kRoot + "/cas/*/*.part " + kRoot + "/cas/*/*.sums"}).ok());
        }
        QVERIFY(together > 0);
        report.injected(QString("%1 races of two desks, %2 with both sending").arg(races()).arg(together));
        report.observed(QString("%1 times one bundle, both content").arg(races()));
    }

    /// The agent on a file system without locks, its host switched off in the middle of an upload.
    void f60_staleLockOfARestartedHost()
    {
        FaultReport report(60, "stale lock of a host that was restarted", "taken over safely, nothing lost");
        m_pool->target(address());
        AWAIT(m_pool->target(address()).state() == Target::State::Ready);
        forbidLocks();
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        const Bundle sent = bundle("sent", 24 * kMiBytes);
        const QString hash = hashOf(sent, "lib/big");
        const QString owner = QString("%1/cas/%2/%3.part.owner.1").arg(kRoot, hash.left(2), hash);
        breakOff(sent, 12 * kMiBytes, [this] { host().powerOff(); });
        QCOMPARE(host().powerOn(), QString());
        forbidLocks();
        const QByteArray left = host().run({"cat", owner}).output;
        const QByteArray boot = host().run({"cat", "/proc/sys/kernel/random/boot_id"}).output.trimmed();
        QVERIFY2(left.contains("boot_id") && !left.contains(boot), left.constData());
        report.injected("owner file of another boot: " + left);

        // It was refreshed a moment ago and may belong to another machine of this name: it is left alone.
        QVERIFY(host().run({"touch", "-d", "2 minutes ago", owner}).ok());
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        const Deployment again = deploy(sent);
        QCOMPARE(textOf(again.status), QString("ok"));
        QCOMPARE(whatIsWrongWith(sent), QString());
        QVERIFY(again.sent <= qint64(13 * kMiBytes));
        const QByteArray owners = host().run({"sh", "-c", "ls " + kRoot + "/cas/*/*.owner.*"}).output;
        QVERIFY2(owners.isEmpty(), owners.constData());
        report.observed(
            QString("%1 of %2 bytes sent after the restart").arg(again.sent).arg(sent.totalBytes()));
    }

private:
    struct Deployment {
        Status status;
        qint64 sent = 0;  ///< bytes that the host acknowledged
        qint64 total = 0; ///< bytes that it lacked
    };

    /// Whether a deployer whose progress() was spied on ever had something to send.
    static bool lackedSomething(const QSignalSpy& progress)
    {
        return std::ranges::any_of(progress,
                                   [](const QList<QVariant>& said) { return said[2].toLongLong() > 0; });
    }

    lab::LabHost& host() const { return m_lab->host(0); }
    QString address() const { return m_lab->host(0).address(); }
    std::filesystem::path folder(const QString& name) const { return m_dir->filePath(name).toStdString(); }

    Bundle bundle(const QString& name, std::size_t size) const
    {
        writeBundle(folder(name),
                    {{"bin/hello", "#!/bin/sh\necho hello from " + name.toStdString() + "\n", true},
                     {"lib/big", noise(size, unsigned(size) + unsigned(name.size()))}});
        return Bundle::load(folder(name), TRAINYARD_VERSION).value();
    }

    static QString hashOf(const Bundle& bundle, const std::string& path)
    {
        const auto file = std::ranges::find(bundle.files, path, &BundleEntry::path);
        return QString::fromStdString(file->sha256);
    }

    /// `disturb` happens once, when the host has acknowledged `after` bytes.
    Deployment deploy(const Bundle& bundle, const std::function<void()>& disturb = {}, std::size_t after = 0)
    {
        Deployer deployer(bundle, {&m_pool->target(address())});
        QSignalSpy finished(&deployer, &Deployer::finished);
        Deployment result;
        bool disturbed = false;
        connect(&deployer, &Deployer::progress, this, [&](const QString&, qint64 done, qint64 total) {
            result.sent = done;
            result.total = total;
            if (disturb && done >= qint64(after) && done < total && !std::exchange(disturbed, true))
                disturb();
        });
        deployer.start();
        finished.wait(kPatienceMs);
        result.status = finished.isEmpty() ? Status(failed("no end")) : finished[0][0].value<Status>();
        return result;
    }

    /// Ends a deployment in the middle, from the desk or as `how` says.
    void breakOff(const Bundle& bundle, std::size_t after, const std::function<void()>& how = {})
    {
        Deployer deployer(bundle, {&m_pool->target(address())});
        bool reached = false;
        QEventLoop middle; // ended at once: a look every so often would come too late on a fast machine
        connect(&deployer, &Deployer::progress, &middle, [&](const QString&, qint64 done, qint64) {
            reached = reached || done >= qint64(after);
            if (reached)
                middle.quit();
        });
        QTimer::singleShot(kPatienceMs, &middle, &QEventLoop::quit);
        deployer.start();
        middle.exec();
        QVERIFY(reached);
        if (how)
            how();
        m_pool.reset();
        AWAIT(!host().run({"pgrep", "-f", "trainyard-agent serve"}).ok());
    }

    void fillDisk() { host().run({"sh", "-c", "head -c 60000000 /dev/zero > " + kRoot + "/filler"}); }

    static QString commandFor(const QString& damage)
    {
        if (damage == "flip")
            return R"sh(b=$(od -An -tu1 -j 5 -N 1 "$1"); printf "\\$(printf %03o $((b ^ 1)))" | )sh"
                   R"sh(dd of="$1" bs=1 seek=5 conv=notrunc status=none)sh";
        if (damage == "cut")
            return R"(truncate -s $(($(stat -c %s "$1") / 2 + 1)) "$1")";
        if (damage == "copy")
            return R"(dd if="$1" of="$1" bs=4096 count=64 skip=512 seek=16 conv=notrunc status=none)";
        return R"(rm "$1"; touch "$1.gone")";
    }

    QByteArray sumInside(const QString& path) const
    {
        return host().run({"sha256sum", path}).output.left(64) + host().run({"ls", path}).output;
    }

    bool isThere(const Bundle& bundle) const
    {
        return host().run({"ls", "-d", kRoot + "/bundles/" + QString::fromStdString(bundle.id)}).ok();
    }

    /// Empty when every file of the bundle is on the host, byte for byte, and nothing half lies beside it.
    QString whatIsWrongWith(const Bundle& bundle) const
    {
        const QString id = QString::fromStdString(bundle.id);
        for (const BundleEntry& file : bundle.files) {
            const QString path = kRoot + "/bundles/" + id + '/' + QString::fromStdString(file.path);
            if (host().run({"sha256sum", path}).output.left(64) != QByteArray::fromStdString(file.sha256))
                return path + " is not what it should be";
        }
        const QByteArray hidden =
            host().run({"sh", "-c", "ls -A " + kRoot + "/bundles | grep '^[.]'"}).output;
        return QString::fromUtf8(hidden.trimmed());
    }

    /// From here on the agent of this host runs as on a file system without locks.
    /// From the next login on, until the host is switched off. The agent itself must stay as it is: one with
    /// another hash is not started.
    void forbidLocks()
    {
        QFile filter(QStringLiteral(TRAINYARD_WITHOUT_LOCKS));
        QVERIFY(filter.open(QIODevice::ReadOnly));
        QVERIFY(host()
                    .run({"sh", "-c", "cat > /root/without_locks && chmod 755 /root/without_locks"},
                         filter.readAll())
                    .ok());
        const QByteArray command =
            "command=\"/root/without_locks /bin/sh -c \\\"$SSH_ORIGINAL_COMMAND\\\"\" ";
        QVERIFY(host()
                    .run({"sh", "-c",
                          "keys=/root/.ssh/authorized_keys; { cat; cat $keys; } > $keys.new && mv $keys.new "
                          "$keys"},
                         command)
                    .ok());
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDeployFaults)
#include "tst_deploy_faults.moc"
