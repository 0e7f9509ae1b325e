#include <optional>

#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "remote/data/data_send.h"
#include "remote/data/data_set_fetch.h"
#include "remote/data/data_set_list.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr int kHosts = 3;
constexpr int kShards = 5;
constexpr std::size_t kShardBytes = 4'000'000;
constexpr qint64 kBlock = 1024 * 1024; ///< an upload resumes in units of this
const QString kData = QStringLiteral("/root/.trainyard/data");
/// Ends the ssh clients that run on a host; fails when there is none.
const QString kEndOwnLogins =
    QStringLiteral("all=; for at in /proc/[0-9]*; do [ \"$(cat $at/comm 2>/dev/null)\" = ssh ] && "
                   "all=\"$all ${at#/proc/}\"; done; [ -n \"$all\" ] && kill $all");

std::string textOf(const Status& status)
{
    return status.ok() ? "ok" : status.error().text();
}

} // namespace

/// Data sets on three hosts with real sshd.
class TestDataSend : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "160m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_dir = std::make_unique<QTemporaryDir>();
        test::makeDataSet(folder(), kShards, kShardBytes);
        clearHosts();
    }
    void cleanup() { m_pool.reset(); }

    void sendsOnceFromHereAndOnFromHostToHost()
    {
        connectAll(); // the agent itself is sent only once in the life of a host
        const qint64 before = m_lab->bytesFromDesk();
        const Sent sent = send(hosts());
        const qint64 out = m_lab->bytesFromDesk() - before;
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
        const double share = double(out) / double(sent.bytes);
        qInfo() << "out of this computer:" << share << "times the data set's size";
        QVERIFY2(share <= 1.05, qPrintable(QString::number(share)));
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);

        const Sent again = send(hosts());
        QVERIFY2(again.status.ok(), textOf(again.status).c_str());
        QVERIFY(m_lab->bytesFromDesk() - before - out < kBlock);
    }

    void goesThroughThisComputerWhereHostsDoNotReachEachOther()
    {
        for (int host = 0; host < kHosts; ++host)
            m_lab->host(host).run({"mv", "/root/.ssh/id_ed25519", "/root/.ssh/away"});
        const Sent sent = send(hosts());
        for (int host = 0; host < kHosts; ++host)
            m_lab->host(host).run({"mv", "/root/.ssh/away", "/root/.ssh/id_ed25519"});
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QCOMPARE(sent.notices.size(), 1);
        QVERIFY2(sent.notices[0].contains(hosts()[1]), qPrintable(sent.notices[0]));
        QVERIFY2(sent.notices[0].contains("through this computer"), qPrintable(sent.notices[0]));
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);
    }

    void losesAtMostABlockWhenLinksBreak()
    {
        connectAll();
        DataSend sending({{}, path()}, hosts().mid(0, 1), *m_pool);
        std::optional<Status> result;
        QList<double> fractions;
        bool broke = false;
        connect(&sending, &DataSend::progress, this, [&](const QString&, double fraction) {
            if (fraction < 0)
                return;
            fractions << fraction;
            if (fraction > 0.4 && !std::exchange(broke, true))
                QTimer::singleShot(0, this, [this] { m_lab->host(0).resetConnections(); });
        });
        connect(&sending, &DataSend::finished, this, [&](const Status& status) { result = status; });
        sending.start();
        AWAIT(result.has_value());
        QVERIFY2(result->ok(), textOf(*result).c_str());
        QVERIFY(broke);
        double lost = 0;
        for (qsizetype i = 1; i < fractions.size(); ++i)
            lost = std::max(lost, fractions[i - 1] - fractions[i]);
        QVERIFY2(lost * double(kShards * kShardBytes) <= double(kBlock), qPrintable(QString::number(lost)));
        QCOMPARE(wholeSetsOn(0), 1);
    }

    /// The second host gets it from the first, whose connections break, and again when it can.
    void aBrokenChainIsMended()
    {
        connectAll();
        const qint64 before = m_lab->bytesFromDesk();
        bool broke = false;
        const Sent sent = send(hosts(), [&](DataSend& sending) {
            connect(&sending, &DataSend::progress, this, [&](const QString&, double fraction) {
                if (fraction > 0.5 && !std::exchange(broke, true))
                    QTimer::singleShot(0, this, [this] { m_lab->host(1).resetConnections(); });
            });
        });
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QVERIFY(broke);
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
        QVERIFY(double(m_lab->bytesFromDesk() - before) <=
                1.2 * double(sent.bytes)); // not once for each host
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);
    }

    /// Only the first host's own connection to the second breaks; this computer's links stay up.
    void aBrokenConnectionBetweenHostsIsMended()
    {
        connectAll();
        const qint64 before = m_lab->bytesFromDesk();
        bool broke = false;
        const Sent sent = send(hosts(), [&](DataSend& sending) {
            connect(&sending, &DataSend::progress, this, [&](const QString&, double fraction) {
                if (fraction > 0.3 && !broke)
                    broke = m_lab->host(0).run({"sh", "-c", kEndOwnLogins}).ok();
            });
        });
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QVERIFY(broke);
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
        QVERIFY(double(m_lab->bytesFromDesk() - before) <= 1.2 * double(sent.bytes));
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);
    }

    void aKilledClientLeavesAWholeDataSetOrNone()
    {
        connectAll();
        const int rounds = qEnvironmentVariableIntValue("TRAINYARD_ALL_ROUNDS") > 0 ? 20 : 3;
        const quint32 seed = QRandomGenerator::global()->generate();
        QRandomGenerator random(seed);
        qInfo() << "seed" << seed;
        const qint64 longest = undisturbedMs();
        QCOMPARE(wholeSetsOn(kHosts - 1), 1);
        for (int round = 0; round < rounds; ++round) {
            clearHosts();
            const int delay = random.bounded(int(longest) + 1);
            auto client = startClient();
            QTest::qWait(delay); // at any moment, also when it is done
            client->kill();
            QVERIFY(client->state() == QProcess::NotRunning || client->waitForFinished());
            for (int host = 0; host < kHosts; ++host)
                QVERIFY2(wholeSetsOn(host) >= 0, qPrintable(QString("after %1 ms").arg(delay)));
        }
        const Sent sent = send(hosts());
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);
    }

    void leavesNothingOfADamagedDataSet()
    {
        QVERIFY(writeFileAtomically(folder() / "train-2.hdf5", support::noise(kShardBytes, 99)).ok());
        const Sent sent = send(hosts());
        QCOMPARE(sent.status.ok(), false);
        QVERIFY2(textOf(sent.status).find("train-2.hdf5") != std::string::npos, textOf(sent.status).c_str());
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 0);
    }

    void repairsWhatWasDamagedThere()
    {
        QVERIFY(send(hosts().mid(0, 1)).status.ok());
        QVERIFY(
            m_lab->host(0)
                .run({"sh", "-c", "for file in " + kData + "/set-*/train-1.hdf5; do printf x >> $file; done"})
                .ok());
        QCOMPARE(wholeSetsOn(0), -1);
        const Sent sent = send(hosts().mid(0, 1));
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QCOMPARE(wholeSetsOn(0), 1);
    }

    void saysWhatADiskNeedsAndLeavesNothing()
    {
        QVERIFY(m_lab->host(1).run({"sh", "-c", "head -c 140000000 /dev/zero > /root/filler"}).ok());
        const Sent sent = send(hosts());
        QCOMPARE(sent.status.error().kind, ErrorKind::Refused);
        const std::string text = textOf(sent.status);
        QVERIFY2(text.find("the data set set does not fit on " + hosts()[1].toStdString()) !=
                     std::string::npos,
                 text.c_str());
        QCOMPARE(wholeSetsOn(0), 1); // a host that fails holds up no other
        QCOMPARE(wholeSetsOn(1), 0);
        QCOMPARE(wholeSetsOn(2), 1);
        QVERIFY(m_lab->host(1).run({"rm", "/root/filler"}).ok());
    }

    /// It had room when it was asked.
    void leavesNothingHalfWhenADiskFillsUp()
    {
        bool filled = false;
        const Sent sent = send(hosts().mid(0, 1), [&](DataSend& sending) {
            connect(&sending, &DataSend::progress, this, [&](const QString&, double fraction) {
                if (fraction > 0.1 && !std::exchange(filled, true))
                    m_lab->host(0).run({"sh", "-c", "head -c 200000000 /dev/zero > /root/filler"});
            });
        });
        QVERIFY(!sent.status.ok());
        QCOMPARE(wholeSetsOn(0), 0);
        QVERIFY(m_lab->host(0).run({"rm", "/root/filler"}).ok());
        QVERIFY(send(hosts().mid(0, 1)).status.ok());
    }

    void sendsFromAHostToTheOthers()
    {
        QVERIFY(lab::runCommand({"cp", "-r", path(), m_lab->host(0).path("/root/own")}).ok());
        connectAll();
        const qint64 before = m_lab->bytesFromDesk();
        const Sent sent = send({hosts()[0], "/root/own"}, hosts());
        m_lab->host(0).run({"rm", "-rf", "/root/own"});
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        QVERIFY(m_lab->bytesFromDesk() - before < kBlock);
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 1);
    }

    void fetchesWhatItSent()
    {
        const Sent sent = send(hosts().mid(0, 1));
        QVERIFY2(sent.status.ok(), textOf(sent.status).c_str());
        const Status fetched = fetch(sent.folder);
        QVERIFY2(fetched.ok(), textOf(fetched).c_str());
        for (const QString& file : QDir(path()).entryList(QDir::Files))
            QCOMPARE(readFile(destination() / file.toStdString()).value(),
                     readFile(folder() / file.toStdString()).value());
    }

    void fetchesNothingDamaged()
    {
        const Sent sent = send(hosts().mid(0, 1));
        const QString shard = sent.folder + "/train-1.hdf5";
        QVERIFY(m_lab->host(0)
                    .run({"sh", "-c", "printf x | dd of=" + shard + " bs=1 seek=1000 conv=notrunc"})
                    .ok());
        const Status fetched = fetch(sent.folder);
        QCOMPARE(fetched.ok(), false);
        QVERIFY2(textOf(fetched).find("train-1.hdf5") != std::string::npos, textOf(fetched).c_str());
        QVERIFY(!fs::exists(destination()));
    }

    void listsDataSetsWithTheRunThatReadsThem()
    {
        const Sent sent = send(hosts().mid(0, 1));
        QCOMPARE(list().size(), 1);
        QCOMPARE(list()[0].bytes, sent.bytes);
        QCOMPARE(list()[0].folder, sent.folder);
        QCOMPARE(list()[0].lastRun, QString());
        writeRun("20260101T000000Z-old-00aa", sent.folder);
        writeRun("20260102T000000Z-new-00bb", sent.folder);
        writeRun("20260103T000000Z-other-00cc", "/root/elsewhere");
        QCOMPARE(list()[0].lastRun, QString("20260102T000000Z-new-00bb"));
        QCOMPARE(list()[0].activeRun, QString());
    }

    void removesNoneThatAnActiveRunReads()
    {
        const Sent sent = send(hosts().mid(0, 1));
        const QString run = "20260101T000000Z-busy-00aa";
        writeRun(run, sent.folder);
        m_lab->host(0).run(
            {"sh", "-c",
             "TRAINYARD_RUN=" + run + " setsid sleep 600 > /dev/null 2>&1 & echo $! > /root/sleeper"});
        AWAIT_EQUAL(list()[0].activeRun, run);
        const QString name = list()[0].name;
        const auto refusal = remove(name);
        QCOMPARE(refusal.ok(), false);
        QCOMPARE(refusal.error().kind, ErrorKind::Refused);
        QVERIFY(refusal.error().text().find(run.toStdString()) != std::string::npos);
        QCOMPARE(wholeSetsOn(0), 1);

        m_lab->host(0).run({"sh", "-c", "kill $(cat /root/sleeper)"});
        AWAIT_EQUAL(list()[0].activeRun, QString());
        const auto freed = remove(name);
        QVERIFY2(freed.ok(), freed.ok() ? "" : freed.error().text().c_str());
        QCOMPARE(*freed, sent.bytes);
        QCOMPARE(wholeSetsOn(0), 0);
        QVERIFY(list().isEmpty());
        QCOMPARE(remove(name).error().kind, ErrorKind::BadInput);
    }

    void leavesNothingWhenItIsCancelled()
    {
        const Sent sent = send(hosts(), [this](DataSend& sending) {
            connect(&sending, &DataSend::progress, this, [&sending](const QString&, double fraction) {
                if (fraction > 0.1)
                    sending.cancel();
            });
        });
        QCOMPARE(sent.status.error().kind, ErrorKind::Cancelled);
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
        for (int host = 0; host < kHosts; ++host)
            QCOMPARE(wholeSetsOn(host), 0);
    }

private:
    struct Sent {
        Status status;
        QStringList notices;
        QString folder; ///< on the first host
        qint64 bytes = 0;
    };

    QString path() const { return m_dir->filePath("set"); }
    fs::path folder() const { return path().toStdString(); }
    fs::path destination() const { return m_dir->filePath("fetched").toStdString(); }
    QStringList hosts() const
    {
        QStringList all;
        for (int host = 0; host < kHosts; ++host)
            all << m_lab->host(host).address();
        return all;
    }

    void clearHosts()
    {
        for (int host = 0; host < kHosts; ++host)
            m_lab->host(host).run({"sh", "-c",
                                   "rm -rf /root/.trainyard/cas /root/.trainyard/data /root/.trainyard/runs "
                                   "/root/filler"});
    }

    void connectAll()
    {
        HostGroup group(hosts(), *m_pool);
        std::optional<Status> ready;
        group.whenReady([&](const Status& status) { ready = status; });
        [&] { AWAIT(ready.has_value()); }();
    }

    Sent send(const QStringList& to, const std::function<void(DataSend&)>& watch = {})
    {
        return send({{}, path()}, to, watch);
    }
    Sent send(const DataPlace& from, const QStringList& to, const std::function<void(DataSend&)>& watch = {})
    {
        DataSend sending(from, to, *m_pool);
        std::optional<Status> result;
        Sent sent;
        connect(&sending, &DataSend::noticed, this, [&](const QString& text) { sent.notices << text; });
        connect(&sending, &DataSend::finished, this, [&](const Status& status) { result = status; });
        if (watch)
            watch(sending);
        sending.start();
        [&] { AWAIT(result.has_value()); }();
        sent.status = result.value_or(failed("no answer"));
        sent.bytes = static_cast<qint64>(sending.content().bytes());
        if (sent.status.ok())
            sent.folder = sending.folderOn(0);
        return sent;
    }

    Status fetch(const QString& from)
    {
        DataSetFetch fetching({hosts()[0], from}, destination(), *m_pool);
        std::optional<Status> result;
        connect(&fetching, &FolderFetch::finished, this, [&](const Status& status) { result = status; });
        fetching.start();
        [&] { AWAIT(result.has_value()); }();
        return result.value_or(failed("no answer"));
    }

    QList<HostDataSet> list()
    {
        std::optional<Result<QList<HostDataSet>>> sets;
        listDataSets(hosts()[0], *m_pool, this, this,
                     [&](const Result<QList<HostDataSet>>& answer) { sets = answer; });
        [&] { AWAIT(sets.has_value()); }();
        return sets && sets->ok() ? **sets : QList<HostDataSet>();
    }

    Result<qint64> remove(const QString& name)
    {
        std::optional<Result<qint64>> freed;
        removeDataSet(hosts()[0], name, *m_pool, this, this,
                      [&](const Result<qint64>& answer) { freed = answer; });
        [&] { AWAIT(freed.has_value()); }();
        return freed.value_or(failed("no answer"));
    }

    void writeRun(const QString& run, const QString& dataSet)
    {
        m_lab->host(0).run({"sh", "-c",
                            "mkdir -p /root/.trainyard/runs/" + run + "/attempts/1" +
                                " && echo '{\"dataset\": {\"path\": \"" + dataSet +
                                "\"}}' > /root/.trainyard/runs/" + run + "/spec.json"});
    }

    std::unique_ptr<QProcess> startClient()
    {
        auto client = std::make_unique<QProcess>();
        client->start(
            QStringLiteral(TRAINYARD_BIN_DIR) + "/../tests/send_data_client",
            QStringList{m_lab->targetOptions().agentPath, m_lab->clientKey(), m_lab->knownHosts(), path()} +
                hosts());
        return client;
    }

    /// How long the client takes when nobody kills it.
    qint64 undisturbedMs()
    {
        QElapsedTimer timer;
        timer.start();
        auto client = startClient();
        [&] { AWAIT(client->state() == QProcess::NotRunning); }();
        return timer.elapsed();
    }

    /// The number of data sets on a host, all whole; -1 when one of them is not.
    int wholeSetsOn(int host)
    {
        const QString there = m_lab->host(host).path(kData);
        int whole = 0;
        for (const QString& name : QDir(there).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
            for (const QString& file : QDir(path()).entryList(QDir::Files)) {
                const auto sent = readFile(fs::path((there + '/' + name + '/' + file).toStdString()));
                if (!sent.ok() || *sent != readFile(folder() / file.toStdString()).value())
                    return -1;
            }
            ++whole;
        }
        return whole;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDataSend)
#include "tst_data_send.moc"
