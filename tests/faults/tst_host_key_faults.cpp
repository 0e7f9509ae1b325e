#include <memory>

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "remote/target/target.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

using State = Target::State;

namespace {

constexpr auto kNoRetryFor = 700; ///< ms; a link that is tried again has waited 0 and 500 ms by then

QString errorOf(const Target& target)
{
    return target.lastError() ? QString::fromStdString(target.lastError()->text()) : QString();
}

} // namespace

/// Faults 14 to 19: a host is not who it was, or somebody says so.
class TestHostKeyFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        lab::NetnsLab::Options options;
        options.hosts = 2;
        options.diskSize = "64m";
        m_lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase() { m_lab.reset(); }
    void init() { m_lab->trustHosts(); }

    void f14_changedHostKey()
    {
        FaultReport report(14, "host key changed",
                           "refused without a button, also by a link that comes back, and not tried again");
        auto target = create(m_lab->targetOptions());
        target->open();
        AWAIT_EQUAL(target->state(), State::Ready);
        changeKey(0, report);
        m_lab->host(0).resetConnections();
        expectRefusal(*target, "changed");
        auto fresh = create(m_lab->targetOptions());
        fresh->open();
        expectRefusal(*fresh, "changed");
        report.observed("refused on reconnection and by a new link: " + errorOf(*fresh));
    }

    void f15_changedHostKeyWithCheckingTurnedOff()
    {
        FaultReport report(15, "host key changed, StrictHostKeyChecking no", "refused all the same");
        auto options = m_lab->targetOptions();
        options.sshConfigFile = write("unchecked", "Host *\n  StrictHostKeyChecking no\n");
        changeKey(0, report);
        auto target = create(options);
        QSignalSpy notices(target.get(), &Target::notice);
        target->open();
        expectRefusal(*target, "changed");
        QVERIFY(notices.size() == 1 && notices[0][0].toString().contains("StrictHostKeyChecking"));
        report.observed("refused; notice: " + notices[0][0].toString());
    }

    void f16_revokedHostKey()
    {
        FaultReport report(16, "host key revoked", "refused although a line has the same key");
        const QByteArray line = m_lab->host(0).knownHostsLine();
        const QByteArray key = line.mid(line.indexOf(' ') + 1);
        write("known_hosts", line + "@revoked * " + key);
        report.injected("@revoked line for the host's own key");
        auto target = create(m_lab->targetOptions());
        target->open();
        expectRefusal(*target, "revoked");
        report.observed(errorOf(*target));
    }

    void f17_garbageBesideAChangedKey_data()
    {
        QTest::addColumn<QByteArray>("garbage");
        const QByteArray host = m_lab->host(0).address().toUtf8();
        QTest::newRow("a cut key") << host + " ssh-ed25519 AAAAC3NzaC1lZDI1\n";
        QTest::newRow("no key") << host + " ssh-ed25519\n";
        QTest::newRow("unknown type") << host + " ssh-new@example.org AAAA\n";
        QTest::newRow("unknown marker") << "@trusted " + host + " ssh-ed25519 AAAA\n";
        QTest::newRow("bytes") << QByteArray("\xff\x00\x1b[2J", 7) + host + " \n";
    }
    void f17_garbageBesideAChangedKey()
    {
        QFETCH(QByteArray, garbage);
        FaultReport report(17, "garbage in known_hosts beside a changed key", "refused, never \"unknown\"");
        const QByteArray old = m_lab->host(0).knownHostsLine();
        changeKey(0, report);
        for (const QByteArray& text : {garbage + old, old + garbage}) {
            write("known_hosts", text);
            auto target = create(m_lab->targetOptions());
            target->open();
            expectRefusal(*target, "changed");
        }
        report.injected("a line that cannot be read, before and behind the old key");
        report.observed("refused in both orders");
    }

    void f18_changedKeyOfTheJumpHostOnly()
    {
        FaultReport report(18, "host key of the jump host changed", "refused, and the jump host is named");
        auto options = m_lab->targetOptions();
        options.identityFiles.clear();
        options.knownHostsFile.clear();
        options.sshConfigFile = write("jump", jumpConfig());
        {
            auto target = Target::create("far", options);
            target->open();
            AWAIT_EQUAL(target->state(), State::Ready);
        }
        changeKey(0, report);
        auto target = Target::create("far", options);
        target->open();
        expectRefusal(*target, "changed");
        QVERIFY2(errorOf(*target).startsWith("near:"), qPrintable(errorOf(*target)));
        report.observed(errorOf(*target));
    }

    /// Both desks were shown the key and say yes at the same moment.
    void f19_twoDesksAddAKeyAtOnce()
    {
        const int rounds = qEnvironmentVariableIntValue("TRAINYARD_FAULT_ROUNDS") > 0
                               ? qEnvironmentVariableIntValue("TRAINYARD_FAULT_ROUNDS")
                               : 4;
        FaultReport report(19, "two desks add a key at once", "each key once, and no other line lost");
        const QByteArray others =
            "# mine\nelsewhere ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBSC36cHZk0vMvDj3Ej6gjFo"
            "pphGf/at0YzERffmJ0B/\n";
        for (int round = 0; round < rounds; ++round) {
            write("known_hosts", others);
            std::vector<std::unique_ptr<Target>> desks;
            for (int i = 0; i < 4; ++i) // two desks, two hosts each
                desks.push_back(Target::create(m_lab->host(i % 2).address(), m_lab->targetOptions()));
            int asked = 0;
            for (const auto& desk : desks) {
                connect(desk.get(), &Target::hostKeyUnknown, this, [&] { ++asked; });
                desk->open();
            }
            AWAIT_EQUAL(asked, 4);
            for (const auto& desk : desks)
                desk->answerHostKey(true);
            AWAIT(std::all_of(desks.begin(), desks.end(),
                              [](const auto& desk) { return desk->state() == State::Ready; }));
            const QByteArray text = read("known_hosts");
            QVERIFY2(text.startsWith(others), text.constData());
            QCOMPARE(text.count('\n'), 4);
            for (int i = 0; i < 2; ++i)
                QCOMPARE(text.count(m_lab->host(i).knownHostsLine()), 1);
        }
        report.injected(QString("4 links answered at once, %1 times").arg(rounds));
        report.observed("each of the 2 keys once, the 2 lines before untouched, every time");
    }

private:
    std::unique_ptr<Target> create(const TargetOptions& options) const
    {
        return Target::create(m_lab->host(0).address(), options);
    }

    void changeKey(int host, FaultReport& report)
    {
        const QByteArray before = m_lab->host(host).knownHostsLine();
        QVERIFY(m_lab->host(host).changeHostKey());
        QVERIFY(m_lab->host(host).knownHostsLine() != before);
        report.injected("sshd started again with another key");
    }

    static void expectRefusal(Target& target, const QString& reason)
    {
        QSignalSpy questions(&target, &Target::hostKeyUnknown);
        AWAIT_EQUAL(target.state(), State::Refused);
        QVERIFY2(errorOf(target).contains(reason), qPrintable(errorOf(target)));
        QSignalSpy attempts(&target, &Target::attemptFailed);
        QTest::qWait(kNoRetryFor);
        QCOMPARE(target.state(), State::Refused);
        QVERIFY(attempts.isEmpty());
        QVERIFY(questions.isEmpty());
    }

    QByteArray jumpConfig() const
    {
        return "Host near far\n  User root\n  IdentityFile " + m_lab->clientKey().toUtf8() +
               "\n  UserKnownHostsFile " + m_lab->knownHosts().toUtf8() +
               "\n  IdentityAgent none\nHost near\n  HostName " + m_lab->host(0).address().toUtf8() +
               "\nHost far\n  HostName " + m_lab->host(1).address().toUtf8() + "\n  ProxyJump near\n";
    }

    QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_lab->file(name));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }
    QByteArray read(const QString& name) const
    {
        QFile file(m_lab->file(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestHostKeyFaults)
#include "tst_host_key_faults.moc"
