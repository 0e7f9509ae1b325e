#include <optional>

#include <QDir>
#include <QJsonArray>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/data/data_send.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

constexpr int kLabHosts = 7;
constexpr int kSetShards = 4;
constexpr std::size_t kSetShardBytes = 2'000'000;
constexpr qint64 kFewBytes = 1024 * 1024;
const QString kOwnSet = QStringLiteral("/root/own"); ///< of the first host
const QString kFillDisk =                            ///< all but a little
    QStringLiteral("head -c $(( $(stat -f -c '%a*%S' /root) - 3000000 )) /dev/zero > /root/filler");

std::string wordsOf(const Status& status)
{
    return status.ok() ? "ok" : status.error().text();
}

std::unique_ptr<lab::NetnsLab> startLab(const lab::NetnsLab::Options& options)
{
    auto hosts = std::make_unique<lab::NetnsLab>(options);
    if (const QString trouble = hosts->start(); !trouble.isEmpty()) {
        qWarning() << trouble;
        return nullptr;
    }
    hosts->trustHosts();
    return hosts;
}

bool connectHosts(const QStringList& hosts, TargetPool& pool)
{
    HostGroup group(hosts, pool);
    std::optional<Status> ready;
    group.whenReady([&](const Status& status) { ready = status; });
    [&] { AWAIT(ready.has_value()); }();
    return ready && ready->ok();
}

} // namespace

/// Which hosts send to which when some fail, share a disk or have much to do.
class TestDataFeeds : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(m_home.isValid());
        qputenv("TRAINYARD_HOME", m_home.path().toUtf8()); // of this machine's agent
        m_lab = startLab({kLabHosts, "64m", {}});
        QVERIFY(m_lab);
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_dir = std::make_unique<QTemporaryDir>();
        test::makeDataSet(path().toStdString(), kSetShards, kSetShardBytes);
        for (int host = 0; host < kLabHosts; ++host)
            m_lab->host(host).run(
                {"sh", "-c", "rm -rf /root/.trainyard/cas /root/.trainyard/data /root/own /root/filler"});
        QVERIFY(lab::runCommand({"cp", "-r", path(), m_lab->host(0).path(kOwnSet)}).ok());
    }
    void cleanup() { m_pool.reset(); }

    /// It might wait for the very host that it sends to.
    void aHostThatWaitsForItsDiskFeedsNobody()
    {
        const auto shared = startLab({2, "100m", {}, "/root"});
        QVERIFY(shared);
        TargetPool pool(shared->targetOptions());
        const QStringList hosts{shared->host(0).address(), shared->host(1).address()};
        QVERIFY(connectHosts(hosts, pool));
        Deployer deployer(parcel(), {&pool.target(hosts[0]), &pool.target(hosts[1])}, {});
        deployer.setFeeds({{}, {{&pool.target(hosts[0]), pushTo(pool.target(hosts[1]))}}});
        QSignalSpy finished(&deployer, &Deployer::finished);
        shared->host(0).cutLink(); // the second host is the first to look who shares its disk
        deployer.start();
        AWAIT(!QDir(shared->host(1).path("/root/.trainyard/marks")).isEmpty());
        shared->host(0).restoreLink();
        AWAIT_EQUAL(finished.size(), 1);
        const auto result = finished[0][0].value<Status>();
        QVERIFY2(result.ok(), wordsOf(result).c_str());
    }

    /// Somebody has removed its files; what is still on its way may come for as long as it takes.
    void aHostThatHadAllFilesAndSendsNoneIsGivenUp()
    {
        QVERIFY(connectHosts(hosts().mid(0, 2), *m_pool));
        Target& receiver = m_pool->target(hosts()[1]);
        Deployer::Options options;
        options.patience = std::chrono::seconds(1);
        Deployer deployer(parcel(), {&receiver}, options);
        deployer.setFeeds({{{&m_pool->target(hosts()[0]), pushTo(receiver)}}});
        QSignalSpy finished(&deployer, &Deployer::finished), noticed(&deployer, &Deployer::noticed);
        deployer.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto result = finished[0][0].value<Status>();
        QVERIFY2(result.ok(), wordsOf(result).c_str());
        QCOMPARE(noticed.size(), 1);
        QVERIFY(noticed[0][0].toString().contains("has sent nothing for"));
    }

    /// An agent has four transfers at a time.
    void aHostFeedsMoreHostsThanItMayAtATime()
    {
        const QStringList receivers = hosts().mid(1);
        for (int host = 1; host < kLabHosts; ++host)
            m_lab->host(host).run({"mv", "/root/.ssh/id_ed25519", "/root/.ssh/away"});
        QVERIFY(connectHosts(hosts(), *m_pool));
        const qint64 before = m_lab->bytesFromDesk();
        const Sent sent = send({hosts()[0], kOwnSet}, receivers);
        for (int host = 1; host < kLabHosts; ++host)
            m_lab->host(host).run({"mv", "/root/.ssh/away", "/root/.ssh/id_ed25519"});
        QVERIFY2(sent.status.ok(), wordsOf(sent.status).c_str());
        QVERIFY(m_lab->bytesFromDesk() - before < kFewBytes);
        for (int host = 1; host < kLabHosts; ++host)
            QVERIFY(hasSet(host));
    }

    void aFailingHostDoesNotFailThoseBehindIt()
    {
        QVERIFY(connectHosts(hosts().mid(0, 4), *m_pool));
        QVERIFY(m_lab->host(1).run({"sh", "-c", kFillDisk}).ok());
        const Sent sent = send({hosts()[0], kOwnSet}, hosts().mid(1, 3));
        QCOMPARE(sent.status.ok(), false);
        QCOMPARE(sent.status.error().kind, ErrorKind::Refused);
        const QString text = QString::fromStdString(wordsOf(sent.status));
        QVERIFY2(text.contains("does not fit on " + hosts()[1]), qPrintable(text));
        QVERIFY2(!text.contains("of 3 hosts"), qPrintable(text));
        QVERIFY(!hasSet(1));
        QVERIFY(hasSet(2));
        QVERIFY(hasSet(3));
    }

    void whoIsBehindAFailingHostIsFedByTheOneBeforeIt()
    {
        QVERIFY(connectHosts(hosts().mid(0, 3), *m_pool));
        QVERIFY(m_lab->host(1).run({"sh", "-c", kFillDisk}).ok());
        const qint64 before = m_lab->bytesFromDesk();
        const Sent sent = send({{}, path()}, hosts().mid(0, 3));
        QCOMPARE(sent.status.ok(), false);
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
        QVERIFY(m_lab->bytesFromDesk() - before < qint64(kSetShards * kSetShardBytes) + kFewBytes);
        QVERIFY(hasSet(0));
        QVERIFY(!hasSet(1));
        QVERIFY(hasSet(2));
    }

    void endsOnceAndSaysNothingElseWhenCancelled_data()
    {
        QTest::addColumn<bool>("isFromHost");
        QTest::addRow("from a host") << true;
        QTest::addRow("from here") << false;
    }
    void endsOnceAndSaysNothingElseWhenCancelled()
    {
        QFETCH(bool, isFromHost);
        const DataPlace from = isFromHost ? DataPlace{hosts()[0], kOwnSet} : DataPlace{{}, path()};
        const Sent sent = send(from, hosts().mid(1, 3), [this](DataSend& sending) {
            connect(&sending, &DataSend::progress, &sending, [&sending](const QString&, double fraction) {
                if (fraction > 0.1)
                    sending.cancel();
            });
        });
        QCOMPARE(sent.status.error().kind, ErrorKind::Cancelled);
        QCOMPARE(sent.ends, 1);
        QVERIFY2(sent.notices.isEmpty(), qPrintable(sent.notices.join('\n')));
    }

    /// It has no name for the other host, and would send to itself.
    void noHostSendsToThisComputer()
    {
        const Sent sent = send({hosts()[0], kOwnSet}, {"localhost"});
        QCOMPARE(sent.status.error().kind, ErrorKind::BadInput);
        QVERIFY(sent.status.error().hint.find("trainyard data fetch") != std::string::npos);
    }

    void aFileThatIsGoneEndsItsTransfer()
    {
        QVERIFY(connectHosts(hosts().mid(0, 2), *m_pool));
        QJsonObject request = pushTo(m_pool->target(hosts()[1]));
        request["folder"] = "/root/nowhere";
        request["files"] = QJsonArray{fileNamed("gone.hdf5")};
        std::optional<Result<QJsonObject>> reply;
        m_pool->target(hosts()[0]).call(request, this, [&](const Result<QJsonObject>& answer) {
            reply = answer;
        });
        AWAIT(reply.has_value());
        QCOMPARE(reply->ok(), false);
        QVERIFY(reply->error().text().find("gone.hdf5") != std::string::npos);
    }

    /// Transfers wait long: for files that another host still sends.
    void transfersAndPortsLeaveAnAgentFreeForOtherWork()
    {
        QVERIFY(connectHosts(hosts().mid(0, 2), *m_pool));
        Target& target = m_pool->target(hosts()[0]);
        QJsonObject push = pushTo(m_pool->target(hosts()[1]));
        push["files"] = QJsonArray{fileNamed("not here yet")};
        for (int i = 0; i < 4; ++i) {
            target.call(push, this, [](const Result<QJsonObject>&) {});
            target.call({{"op", "listen"}, {"address", hosts()[0]}, {"token", QString(32, 'a')}}, this,
                        [](const Result<QJsonObject>&) {});
        }
        std::optional<Result<QJsonObject>> reply;
        target.call({{"op", "have"}, {"sha256", QJsonArray{QString(64, 'b')}}}, this,
                    [&](const Result<QJsonObject>& answer) { reply = answer; });
        AWAIT(reply.has_value());
        QVERIFY(reply->ok());
    }

private:
    struct Sent {
        Status status;
        QStringList notices;
        int ends = 0;
    };

    QString path() const { return m_dir->filePath("set"); }
    QStringList hosts() const
    {
        QStringList all;
        for (int host = 0; host < kLabHosts; ++host)
            all << m_lab->host(host).address();
        return all;
    }

    static QJsonObject fileNamed(const QString& name)
    {
        return {{"name", name}, {"size", 1000}, {"sha256", QString(64, 'c')}};
    }

    /// The files of the data set; nothing is made of them.
    Parcel parcel() const
    {
        Parcel parcel;
        parcel.what = "the files";
        parcel.assembly = {{"op", "ping"}};
        const DataSetContent content = readDataSetContent(path().toStdString()).value();
        for (const DataSetFile& file : content.files) {
            BundleEntry entry;
            entry.path = file.path;
            entry.sha256 = file.sha256;
            entry.size = file.bytes;
            entry.source = fs::path(path().toStdString()) / file.path;
            parcel.files.push_back(entry);
        }
        return parcel;
    }

    Sent send(const DataPlace& from, const QStringList& to, const std::function<void(DataSend&)>& watch = {})
    {
        DataSend sending(from, to, *m_pool);
        Sent sent;
        connect(&sending, &DataSend::noticed, this, [&](const QString& text) { sent.notices << text; });
        connect(&sending, &DataSend::finished, this, [&](const Status& status) {
            sent.status = status;
            ++sent.ends;
        });
        if (watch)
            watch(sending);
        sending.start();
        [&] { AWAIT(sent.ends > 0); }();
        QTest::qWait(0); // a second end would come now
        return sent;
    }

    bool hasSet(int host) const
    {
        const QString data = m_lab->host(host).path("/root/.trainyard/data");
        const QStringList sets = QDir(data).entryList({"own-*", "set-*"}, QDir::Dirs);
        if (sets.size() != 1)
            return false;
        for (const QString& file : QDir(path()).entryList(QDir::Files)) {
            const auto there = readFile((data + '/' + sets[0] + '/' + file).toStdString());
            if (!there.ok() || *there != readFile((path() + '/' + file).toStdString()).value())
                return false;
        }
        return true;
    }

    QTemporaryDir m_home;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDataFeeds)
#include "tst_data_feeds.moc"
