#include <algorithm>
#include <csignal>

#include <QElapsedTimer>
#include <QFile>
#include <QTcpSocket>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <sched.h>
#include <sys/mount.h>

#include "tests/faults/followed_run.h"
#include "tests/faults/network_lab.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/file_content.h"
#include "tests/support/lab/lab_pids.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

using State = Target::State;

namespace {

constexpr int kResets = 3; ///< tests/bench/reconnect_times makes 40
/// For less than this no event loop has waited for a connection, which has 9 s.
constexpr qint64 kBlockedMs = 8000;

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

} // namespace

/// Faults 1, 2, 4, 5 and 11 to 13: the way between desk and host is cut, moved or silent.
class TestNetworkFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        takeOwnHostsFile();
        m_lab.start();
    }
    void cleanupTestCase() { m_lab.stop(); }
    void cleanup() { m_lab.heal(); }

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
        TargetOptions far = m_lab.options();
        far.sshConfigFile = m_lab.hosts().file("jump_config");
        writeText(far.sshConfigFile, jumpConfig());
        Attempt direct(host().address(), m_lab.options()), jump("far", far);
        QVERIFY(m_lab.options().connectTimeout < 10s); // without it they would wait for minutes
        AWAIT(direct.over() && jump.over());
        // The hop that failed, not only the host behind it.
        QVERIFY2(direct.text().contains(host().address()), qPrintable(direct.text()));
        QVERIFY2(jump.text().contains(host().address()), qPrintable(jump.text()));
        host().restoreLink();
        QVERIFY2(pulse.longestMs() < kBlockedMs, qPrintable(QString::number(pulse.longestMs())));
        report.observed(QString("told after %1 (as a jump host %2); longest pause of the event loop %3 ms")
                            .arg(seconds(direct.ms()), seconds(jump.ms()))
                            .arg(pulse.longestMs()));
    }

    void f02_linkCutAndBack()
    {
        FaultReport report(2, "link cut while a run is at work, and back",
                           "Lost within 15 s, the run unaffected, everything there when the link is back");
        FollowedRun watch(host(), m_lab.quickOptions(), host().address());
        watch.start();
        host().cutLink();
        QElapsedTimer cut;
        cut.start();
        AWAIT_EQUAL(watch.link(), LinkState::Lost);
        const qint64 noticed = cut.elapsed();
        report.injected("link down for 5 s");
        QTest::qWait(int(std::max<qint64>(0, 5000 - cut.elapsed())));
        AWAIT(watch.written() - watch.seen() > 100);
        const quint64 missed = watch.written() - watch.seen();
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
        FollowedRun deaf(host(0), m_lab.options(), host(0).address());
        FollowedRun mute(host(1), m_lab.options(), host(1).address());
        QVERIFY(m_lab.options().lostAfter <= 15s); // TCP alone would take a quarter of an hour
        deaf.start();
        mute.start();
        link::LinkConditions blocked;
        blocked.blocked = true;
        const qint64 before = framesThatWere("blocked", host(0)) + framesThatWere("blocked", host(1));
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
        QVERIFY(framesThatWere("blocked", host(0)) + framesThatWere("blocked", host(1)) > before);
        report.injected("frames to node1 blocked, frames from node2 blocked");
        report.observed(QString("noticed after %1 and %2").arg(seconds(deafMs), seconds(muteMs)));
        host(0).setLink({});
        host(1).setLink({});
        deaf.finish();
        mute.finish();
    }

    void f05_connectionReset()
    {
        FaultReport report(5, "connection reset", "records again within 1 s");
        TargetOptions how = m_lab.options();
        how.lostAfter = 10min; // it is not the silence that tells
        FollowedRun watch(host(), how, host().address());
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
    }

    void f11_addressChanged()
    {
        FaultReport report(11, "address changed", "found again by its name, with the same key");
        const QString before = host().address();
        const QString after = before.left(before.lastIndexOf('.')) + ".201";
        const QByteArray hosts = contentOf("/etc/hosts");
        const auto nameIs = [&](const QString& address) {
            writeText("/etc/hosts", hosts + address.toLatin1() + " roamer.lab\n");
        };
        nameIs(before);
        TargetOptions how = m_lab.quickOptions();
        how.knownHostsFile = m_lab.hosts().file("known_by_name");
        writeText(how.knownHostsFile, "roamer.lab" + host().knownHostsLine().mid(before.size()));
        FollowedRun watch(host(), how, "roamer.lab");
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
        TargetOptions how = m_lab.options();
        how.connectTimeout = 2000ms;
        QTcpSocket probe;
        probe.connectToHost(host().address(), 22);
        QVERIFY(probe.waitForConnected(kPatienceMs));
        QVERIFY(!probe.waitForReadyRead(500));
        report.injected("sshd accepts and says nothing");
        Pulse pulse;
        const Attempt told(host().address(), m_lab.options());
        AWAIT(told.over());
        QVERIFY2(pulse.longestMs() < kBlockedMs, qPrintable(QString::number(pulse.longestMs())));
        TargetOptions patient = how;
        patient.connectTimeout = 10min;
        QElapsedTimer ending;
        {
            const auto target = Target::create(host().address(), patient);
            target->open();
            QTest::qWait(300);
            ending.start();
        }
        const qint64 ended = ending.elapsed();
        QVERIFY2(ended < kPatienceMs, qPrintable(QString::number(ended)));
        auto target = Target::create(host().address(), how);
        target->open();
        AWAIT_EQUAL(target->state(), State::Lost);
        host().thawSshd();
        AWAIT_EQUAL(target->state(), State::Ready);
        report.observed(QString("told after %1 (limit 9 s); given up by hand in %2 ms; ready once it went on")
                            .arg(seconds(told.ms()))
                            .arg(ended));
    }

    void f13_sessionStopped()
    {
        FaultReport report(13, "sshd's session stopped in the middle of a stream",
                           "Lost by ping within 15 s; a new session goes on; nothing is left of the old one");
        const QList<qint64> strangers = agentsIn(host()); // of links that broke without a word, as in f11
        FollowedRun watch(host(), m_lab.quickOptions(), host().address());
        watch.start();
        const QList<qint64> stopped = host().connectionPids();
        QVERIFY(!stopped.isEmpty());
        QList<qint64> agents;
        const auto isAlone = [&] {
            agents = agentsIn(host());
            agents.removeIf([&](qint64 pid) { return strangers.contains(pid); });
            return agents.size() == 1;
        };
        AWAIT(isAlone());
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
    lab::LabHost& host(int index = 0) { return m_lab.host(index); }

    QByteArray jumpConfig()
    {
        return QString("Host far\n HostName %1\n ProxyJump root@%2\nHost *\n IdentityFile %3\n "
                       "UserKnownHostsFile %4\n")
            .arg(host(1).address(), host(0).address(), m_lab.hosts().clientKey(), m_lab.hosts().knownHosts())
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
        writeText(m_dir.filePath("hosts"), contentOf("/etc/hosts"));
        QCOMPARE(::unshare(CLONE_NEWNS), 0);
        QCOMPARE(::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
        const QByteArray copy = m_dir.filePath("hosts").toUtf8();
        QCOMPARE(::mount(copy.constData(), "/etc/hosts", nullptr, MS_BIND, nullptr), 0);
    }

    QTemporaryDir m_dir;
    NetworkLab m_lab;
};

QTEST_GUILESS_MAIN(TestNetworkFaults)
#include "tst_network_faults.moc"
