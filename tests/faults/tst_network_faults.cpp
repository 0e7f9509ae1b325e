#include <algorithm>
#include <csignal>

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <sched.h>
#include <sys/mount.h>

#include "tests/support/faults/fault_report.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

using State = Target::State;

namespace {

constexpr auto kFeedInterval = 5ms;
constexpr int kResets = 5; ///< tests/bench/reconnect_times makes 40

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void writeText(const QString& path, const QByteArray& text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
}

/// The event loop's longest pause: what a person would feel as a frozen window (I4).
class Pulse {
public:
    Pulse()
    {
        m_since.start();
        m_timer.callOnTimeout([this] { m_longest = std::max(m_longest, m_since.restart()); });
        m_timer.start(10);
    }
    qint64 longestMs() const { return std::max(m_longest, m_since.elapsed()); }

private:
    QTimer m_timer;
    QElapsedTimer m_since;
    qint64 m_longest = 0;
};

/// A run on one host whose journal grows, and a desk that follows it.
class Watch {
public:
    Watch(lab::LabHost& host, const TargetOptions& options, const QString& name)
        : m_host(host), m_pool(options), m_name(name), m_id("20261122T090000Z-" + name + "-0001")
    {
        m_pool.target(m_name); // opens it
    }

    Target& target() { return m_pool.target(m_name); }
    RecordLedger& ledger() { return *m_ledger; }
    LinkState link() const { return m_follower->linkState(); }
    quint64 seen() const { return m_ledger->count("steps"); }
    quint64 written() const { return quint64(m_run->written()); }
    int lostCount() const
    {
        return int(std::count_if(m_states.begin(), m_states.end(), [](const auto& state) {
            return state[0].template value<State>() == State::Lost;
        }));
    }

    void start()
    {
        AWAIT_EQUAL(target().state(), State::Ready);
        std::optional<Result<QJsonObject>> reply;
        target().call(createRunRequest(m_id), [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QVERIFY2(reply->ok(), reply->ok() ? "" : reply->error().text().c_str());
        m_run = std::make_unique<FedRun>(runFolder());
        m_follower = std::make_unique<RunFollower>(m_id, QStringList{m_name}, m_pool, m_dir.path());
        m_ledger = std::make_unique<RecordLedger>(*m_follower);
        m_follower->start();
        m_run->feedEvery(kFeedInterval);
        AWAIT(seen() > 10);
    }

    void awaitNewRecords()
    {
        const quint64 until = written() + 20;
        AWAIT(seen() >= until);
    }

    /// I1: every record of the host is here, once, and the mirror is the journal byte for byte.
    void finish()
    {
        m_run->pause();
        AWAIT_EQUAL(seen(), written());
        QVERIFY2(m_ledger->complaints().isEmpty(), qPrintable(m_ledger->complaints()));
        QCOMPARE(readAll(m_dir.filePath("journal/steps")), readAll(runFolder() + "/journal/steps"));
    }

private:
    QString runFolder() const { return m_host.path("/root/.trainyard/runs/" + m_id); }

    lab::LabHost& m_host;
    TargetPool m_pool;
    QString m_name;
    QString m_id;
    QTemporaryDir m_dir;
    std::unique_ptr<FedRun> m_run;
    std::unique_ptr<RunFollower> m_follower;
    std::unique_ptr<RecordLedger> m_ledger;
    QSignalSpy m_states{&target(), &Target::stateChanged};
};

/// A first attempt to connect that comes to nothing.
class Attempt {
public:
    Attempt(const QString& name, const TargetOptions& options) : m_target(Target::create(name, options))
    {
        m_timer.start();
        QObject::connect(m_target.get(), &Target::attemptFailed, m_target.get(), [this](const Error& error) {
            if (m_ms < 0) {
                m_ms = m_timer.elapsed();
                m_text = QString::fromStdString(error.text());
            }
        });
        m_target->open();
    }

    bool over() const { return m_ms >= 0; }
    qint64 ms() const { return m_ms; }
    const QString& text() const { return m_text; }

private:
    std::unique_ptr<Target> m_target;
    QElapsedTimer m_timer;
    qint64 m_ms = -1;
    QString m_text;
};

qint64 counter(lab::LabHost& host, const QString& name)
{
    const QJsonObject all = host.linkCounters();
    return all.value("to_host").toObject().value(name).toInteger() +
           all.value("from_host").toObject().value(name).toInteger();
}

QString seconds(qint64 ms)
{
    return QString::number(double(ms) / 1000, 'f', 1) + " s";
}

} // namespace

/// Faults 1, 2 and 4 to 13: the way between desk and host, with a real sshd at its end.
class TestNetworkFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        takeOwnHostsFile();
        lab::NetnsLab::Options options;
        options.hosts = 2;
        options.diskSize = "128m";
        options.linkTools = true;
        m_lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        for (int i = 0; i < 2; ++i) { // the agent is there from now on
            Watch first(m_lab->host(i), m_lab->targetOptions(), m_lab->host(i).address());
            AWAIT_EQUAL(first.target().state(), State::Ready);
        }
    }
    void cleanupTestCase() { m_lab.reset(); }
    void cleanup()
    {
        if (!m_lab)
            return;
        for (int i = 0; i < 2; ++i) {
            m_lab->host(i).setLink({});
            m_lab->host(i).run({"sh", "-c", "rm -rf /root/.trainyard/runs/*"});
        }
    }

    void f01_hostUnreachable()
    {
        FaultReport report(1, "host unreachable",
                           "an error within 10 s that names the hop; the desk stays responsive");
        host().cutLink();
        QTcpSocket probe;
        probe.connectToHost(host().address(), 22);
        QVERIFY(!probe.waitForConnected(1000));
        report.injected("link of " + host().name() + " down before connecting");

        Pulse pulse;
        TargetOptions far = m_lab->targetOptions();
        far.sshConfigFile = m_lab->file("jump_config");
        writeText(far.sshConfigFile, jumpConfig());
        Attempt direct(host().address(), m_lab->targetOptions()), jump("far", far);
        AWAIT(direct.over() && jump.over());
        // The hop that failed, not only the host behind it.
        QVERIFY2(direct.text().contains(host().address()), qPrintable(direct.text()));
        QVERIFY2(jump.text().contains(host().address()), qPrintable(jump.text()));
        host().restoreLink();
        QVERIFY2(direct.ms() <= 10'000 && jump.ms() <= 10'000,
                 qPrintable(QString("%1 %2").arg(direct.ms()).arg(jump.ms())));
        QVERIFY2(pulse.longestMs() < 2000, qPrintable(QString::number(pulse.longestMs())));
        report.observed(QString("told after %1 (as a jump host %2); longest pause of the event loop %3 ms")
                            .arg(seconds(direct.ms()), seconds(jump.ms()))
                            .arg(pulse.longestMs()));
    }

    void f02_linkCutAndBack()
    {
        FaultReport report(2, "link cut while a run is at work, and back",
                           "Lost within 15 s, the run unaffected, everything there when the link is back");
        Watch watch(host(), quick(), host().address());
        watch.start();
        host().cutLink();
        QElapsedTimer cut;
        cut.start();
        AWAIT_EQUAL(watch.link(), LinkState::Lost);
        const qint64 noticed = cut.elapsed();
        report.injected("link down for 5 s");
        QTest::qWait(int(std::max<qint64>(0, 5000 - cut.elapsed())));
        const quint64 missed = watch.written() - watch.seen();
        QVERIFY(missed > 100);
        host().restoreLink();
        QElapsedTimer back;
        back.start();
        watch.awaitNewRecords();
        report.observed(
            QString("Lost after %1 (limit set to 3 s), the %2 records of the cut there %3 after its end")
                .arg(seconds(noticed))
                .arg(missed)
                .arg(seconds(back.elapsed())));
        watch.finish();
    }

    /// Both directions at once, each on a host of its own, with the limits that users have.
    void f04_oneWayPartition()
    {
        FaultReport report(4, "partition in one direction",
                           "noticed within 15 s, whichever direction is dead");
        Watch deaf(host(0), m_lab->targetOptions(), host(0).address());
        Watch mute(host(1), m_lab->targetOptions(), host(1).address());
        deaf.start();
        mute.start();
        link::LinkConditions blocked;
        blocked.blocked = true;
        const qint64 before = counter(host(0), "blocked") + counter(host(1), "blocked");
        QCOMPARE(host(0).setLink(blocked, {}), QString());
        QCOMPARE(host(1).setLink({}, blocked), QString());
        QElapsedTimer timer;
        timer.start();
        qint64 deafMs = 0, muteMs = 0;
        const auto bothKnown = [&] {
            if (deafMs == 0 && deaf.link() == LinkState::Lost)
                deafMs = timer.elapsed();
            if (muteMs == 0 && mute.link() == LinkState::Lost)
                muteMs = timer.elapsed();
            return deafMs > 0 && muteMs > 0;
        };
        AWAIT(bothKnown());
        QVERIFY(counter(host(0), "blocked") + counter(host(1), "blocked") > before);
        report.injected("frames to node1 blocked, frames from node2 blocked");
        report.observed(QString("noticed after %1 and %2").arg(seconds(deafMs), seconds(muteMs)));
        QVERIFY2(deafMs <= 15'000 && muteMs <= 15'000, qPrintable(QString("%1 %2").arg(deafMs).arg(muteMs)));
        host(0).setLink({});
        host(1).setLink({});
        deaf.finish();
        mute.finish();
    }

    void f05_connectionReset()
    {
        FaultReport report(5, "connection reset", "records again within 1 s");
        Watch watch(host(), m_lab->targetOptions(), host().address());
        watch.start();
        QList<qint64> times;
        for (int i = 0; i < kResets; ++i) {
            QTest::qWait(1200); // a link that held
            const auto connections = host().connectionPids();
            QVERIFY(!connections.isEmpty());
            const int losses = watch.lostCount();
            QElapsedTimer timer;
            timer.start();
            host().resetConnections();
            AWAIT(watch.lostCount() > losses);
            const quint64 before = watch.seen();
            AWAIT(watch.seen() > before);
            times << timer.elapsed();
        }
        std::sort(times.begin(), times.end());
        report.injected(QString("sshd of the connection killed %1 times").arg(times.size()));
        report.observed(QString("records again after %1 ms in the median, %2 ms at most")
                            .arg(times[kResets / 2])
                            .arg(times.last()));
        watch.finish();
        QVERIFY2(times[kResets / 2] <= 3000, qPrintable(QString::number(times[kResets / 2]))); // idle: 0.3 s
    }

    void f06_packetLoss_data()
    {
        QTest::addColumn<double>("loss");
        QTest::addRow("1 %%") << 0.01;
        QTest::addRow("5 %%") << 0.05;
        QTest::addRow("20 %%") << 0.20;
    }
    void f06_packetLoss()
    {
        QFETCH(double, loss);
        const QString share = QString::number(loss * 100) + " %";
        FaultReport report(6, "packets lost: " + share, "slower, and correct");
        link::LinkConditions conditions;
        conditions.loss = loss;
        const qint64 before = counter(host(), "lost");
        QCOMPARE(host().setLink(conditions), QString());
        QElapsedTimer timer;
        timer.start();
        Watch watch(host(), m_lab->targetOptions(), host().address());
        watch.start();
        const qint64 connected = timer.elapsed();
        AWAIT(watch.seen() >= 300 && counter(host(), "lost") > before);
        watch.finish();
        const qint64 lost = counter(host(), "lost") - before;
        report.injected(QString("%1 frames lost of those in both directions").arg(lost));
        report.observed(QString("first records after %1, all of %2 records")
                            .arg(seconds(connected))
                            .arg(watch.written()));
    }

    void f07_longRoundTrips_data()
    {
        QTest::addColumn<int>("roundTripMs");
        QTest::addRow("50 ms") << 50;
        QTest::addRow("200 ms") << 200;
        QTest::addRow("800 ms") << 800;
    }
    void f07_longRoundTrips()
    {
        QFETCH(int, roundTripMs);
        FaultReport report(7, QString("round trips of %1 ms with jitter").arg(roundTripMs),
                           "no link is called lost, even with a limit of 3 s");
        link::LinkConditions conditions;
        conditions.delay = 500us * roundTripMs;
        conditions.jitter = conditions.delay / 10;
        if (roundTripMs < 800) // then connecting takes 14 s
            QCOMPARE(host().setLink(conditions), QString());
        QElapsedTimer timer;
        timer.start();
        Watch watch(host(), quick(), host().address());
        watch.start();
        const qint64 connected = timer.elapsed();
        QCOMPARE(host().setLink(conditions), QString());
        std::optional<qint64> answered;
        timer.restart();
        watch.target().call({{"op", "ping"}},
                            [&](const Result<QJsonObject>&) { answered = timer.elapsed(); });
        AWAIT(answered.has_value());
        QVERIFY2(*answered >= roundTripMs * 9 / 10, qPrintable(QString::number(*answered)));
        report.injected(QString("a request is answered after %1 ms").arg(*answered));
        QTest::qWait(4000);
        watch.finish();
        QCOMPARE(watch.lostCount(), 0);
        report.observed(QString("first records after %1; never lost").arg(seconds(connected)));
    }

    void f08_slowLink()
    {
        FaultReport report(8, "slow link, 1 Mbit/s", "a cancel during an upload is answered within 3 s");
        Watch watch(host(), m_lab->targetOptions(), host().address());
        watch.start();
        link::LinkConditions conditions;
        conditions.rate = 125'000;
        conditions.queue = 50'000; // 0.4 s
        QCOMPARE(host().setLink(conditions), QString());
        const QByteArray chunk(256 * 1024, 'x');
        qint64 received = 0;
        bool over = false;
        Target::Handlers handlers;
        handlers.interim = [&](const QJsonObject& word) { received = word.value("received").toInteger(); };
        handlers.done = [&](const Result<QJsonObject>&) { over = true; };
        const auto upload =
            watch.target().call({{"op", "put"}, {"sha256", QString(64, 'a')}, {"size", 16 * chunk.size()}},
                                &watch.ledger(), std::move(handlers));
        for (int i = 0; i < 16; ++i) // 4 MiB: what an upload has under way; 33 s at this rate
            watch.target().sendChunk(upload, chunk);
        QElapsedTimer timer;
        timer.start();
        AWAIT(received > 0);
        QTest::qWait(1000);
        QVERIFY(!over);
        const double rate = double(received) / double(timer.elapsed()) * 1000;
        QVERIFY2(rate < 200'000, qPrintable(QString::number(rate)));
        report.injected(QString("%1 kB/s").arg(rate / 1000, 0, 'f', 0));
        timer.restart();
        watch.target().call({{"op", "cancel"}, {"target", qint64(upload)}}, Target::Reply());
        AWAIT(over);
        const qint64 ended = timer.elapsed();
        report.observed("the upload ended " + seconds(ended) + " after the cancel");
        QVERIFY2(ended <= 3000, qPrintable(QString::number(ended)));
        host().setLink({});
        watch.finish();
    }

    void f09_corruptedBytes()
    {
        FaultReport report(9, "bytes corrupted on the wire",
                           "the connection ends and is made again; no wrong byte gets through");
        Watch watch(host(), m_lab->targetOptions(), host().address());
        watch.start();
        link::LinkConditions conditions;
        conditions.corruption = 0.01;
        const qint64 before = counter(host(), "corrupted");
        QCOMPARE(host().setLink(conditions), QString());
        AWAIT(watch.lostCount() >= 2 && counter(host(), "corrupted") - before >= 3);
        host().setLink({});
        const qint64 corrupted = counter(host(), "corrupted") - before;
        report.injected(QString("one bit flipped in %1 frames, checksums right").arg(corrupted));
        watch.awaitNewRecords();
        watch.finish();
        report.observed(
            QString("%1 connections ended; the mirror equals the journal").arg(watch.lostCount()));
    }

    void f10_reorderedAndDuplicated()
    {
        FaultReport report(10, "packets reordered and duplicated", "no effect");
        link::LinkConditions conditions;
        conditions.reordering = 0.2;
        conditions.duplication = 0.2;
        const qint64 before = counter(host(), "reordered"), twice = counter(host(), "duplicated");
        QCOMPARE(host().setLink(conditions), QString());
        Watch watch(host(), m_lab->targetOptions(), host().address());
        watch.start();
        AWAIT(watch.seen() >= 500);
        watch.finish();
        const qint64 reordered = counter(host(), "reordered") - before,
                     duplicated = counter(host(), "duplicated") - twice;
        QVERIFY(reordered > 20 && duplicated > 20);
        report.injected(QString("%1 frames held back, %2 sent twice").arg(reordered).arg(duplicated));
        QCOMPARE(watch.lostCount(), 0);
        report.observed(QString("%1 records, never lost").arg(watch.written()));
    }

    void f11_addressChanged()
    {
        FaultReport report(11, "address changed", "found again by its name, with the same key");
        const QString before = host().address();
        const QString after = before.left(before.lastIndexOf('.')) + ".201";
        const QByteArray hosts = readAll("/etc/hosts");
        const auto nameIs = [&](const QString& address) {
            writeText("/etc/hosts", hosts + address.toLatin1() + " roamer.lab\n");
        };
        nameIs(before);
        TargetOptions how = quick();
        how.knownHostsFile = m_lab->file("known_by_name");
        writeText(how.knownHostsFile, "roamer.lab" + host().knownHostsLine().mid(before.size()));
        Watch watch(host(), how, "roamer.lab");
        watch.start();
        const auto change = [&](const QString& from, const QString& to) {
            QVERIFY(host().run({"ip", "addr", "del", from + "/24", "dev", "eth0"}).ok());
            QVERIFY(host().run({"ip", "addr", "add", to + "/24", "dev", "eth0"}).ok());
            nameIs(to);
        };
        change(before, after);
        QElapsedTimer timer;
        timer.start();
        AWAIT_EQUAL(watch.link(), LinkState::Lost);
        report.injected(before + " became " + after);
        watch.awaitNewRecords();
        report.observed("records again " + seconds(timer.elapsed()) +
                        " after the change (lost after 3 s of silence)");
        watch.finish();
        change(after, before);
        writeText("/etc/hosts", hosts);
    }

    void f12_serverStoppedBeforeItsBanner()
    {
        FaultReport report(12, "sshd stopped before its banner",
                           "a time limit, no hang; connected once it goes on");
        host().freezeSshd();
        TargetOptions how = m_lab->targetOptions();
        how.connectTimeout = 2000ms;
        QTcpSocket probe;
        probe.connectToHost(host().address(), 22);
        QVERIFY(probe.waitForConnected(5000));
        QVERIFY(!probe.waitForReadyRead(500));
        report.injected("sshd accepts and says nothing");
        Pulse pulse;
        const Attempt told(host().address(), how);
        AWAIT(told.over());
        QVERIFY2(told.ms() <= 8000, qPrintable(QString::number(told.ms())));
        QElapsedTimer ending;
        {
            const auto target = Target::create(host().address(), m_lab->targetOptions());
            target->open();
            QTest::qWait(300);
            ending.start();
        }
        const qint64 ended = ending.elapsed();
        QVERIFY2(ended < 5000, qPrintable(QString::number(ended))); // the limit itself is 10 s
        auto target = Target::create(host().address(), how);
        target->open();
        AWAIT_EQUAL(target->state(), State::Lost);
        host().thawSshd();
        AWAIT_EQUAL(target->state(), State::Ready);
        QVERIFY(pulse.longestMs() < 4000);
        report.observed(QString("told after %1 (limit 2 s); given up by hand in %2 ms; ready once it went on")
                            .arg(seconds(told.ms()))
                            .arg(ended));
    }

    void f13_sessionStopped()
    {
        FaultReport report(13, "sshd's session stopped in the middle of a stream",
                           "Lost by ping within 15 s; a new session goes on; nothing is left of the old one");
        const QList<qint64> strangers = agentsIn(host()); // of links that broke without a word, as in f11
        Watch watch(host(), quick(), host().address());
        watch.start();
        const QList<qint64> stopped = host().connectionPids();
        QVERIFY(!stopped.isEmpty());
        QList<qint64> agents = agentsIn(host());
        agents.removeIf([&](qint64 pid) { return strangers.contains(pid); });
        QCOMPARE(agents.size(), 1);
        for (const qint64 pid : stopped)
            QCOMPARE(::kill(pid_t(pid), SIGSTOP), 0);
        QElapsedTimer timer;
        timer.start();
        AWAIT_EQUAL(watch.link(), LinkState::Lost);
        const qint64 noticed = timer.elapsed();
        report.injected(QString("SIGSTOP to %1 processes").arg(stopped.size()));
        watch.awaitNewRecords();
        const qint64 again = timer.elapsed();
        for (const qint64 pid : stopped)
            ::kill(pid_t(pid), SIGCONT);
        AWAIT(!agentsIn(host()).contains(agents.first())); // I2
        watch.finish();
        report.observed(QString("Lost after %1 (limit set to 3 s), records again after %2")
                            .arg(seconds(noticed), seconds(again)));
    }

private:
    lab::LabHost& host(int index = 0) { return m_lab->host(index); }

    /// Silence is noticed in 3 s instead of 13.
    TargetOptions quick() const
    {
        TargetOptions options = m_lab->targetOptions();
        options.pingInterval = 500ms;
        options.lostAfter = 3000ms;
        return options;
    }

    QByteArray jumpConfig()
    {
        return QString("Host far\n HostName %1\n ProxyJump root@%2\nHost *\n IdentityFile %3\n "
                       "UserKnownHostsFile %4\n")
            .arg(host(1).address(), host(0).address(), m_lab->clientKey(), m_lab->knownHosts())
            .toUtf8();
    }

    /// Pids, as this machine counts, of the agents that serve a desk there.
    static QList<qint64> agentsIn(const lab::LabHost& host)
    {
        QList<qint64> pids;
        for (const lab::LabProcess& process : lab::processTree(host.pid())) {
            if (process.commandLine.endsWith("trainyard-agent serve"))
                pids << process.pid;
        }
        return pids;
    }

    /// This process and what it starts see a copy of /etc/hosts that the test may write.
    void takeOwnHostsFile()
    {
        writeText(m_dir.filePath("hosts"), readAll("/etc/hosts"));
        QCOMPARE(::unshare(CLONE_NEWNS), 0);
        QCOMPARE(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
        const QByteArray copy = m_dir.filePath("hosts").toUtf8();
        QCOMPARE(::mount(copy.constData(), "/etc/hosts", nullptr, MS_BIND, nullptr), 0);
    }

    QTemporaryDir m_dir;
    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestNetworkFaults)
#include "tst_network_faults.moc"
