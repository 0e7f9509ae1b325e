#include <memory>

#include <QElapsedTimer>
#include <QFile>
#include <QSignalSpy>
#include <QTest>

#include "remote/preflight/host_check.h"
#include "remote/target/target.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

using State = Target::State;

namespace {

const QString kInstalled = "/root/.trainyard/agents/*/trainyard-agent";
const QString kSum = "/usr/bin/sha256sum";

} // namespace

class TestSshTarget : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "64m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase() { m_lab.reset(); }
    void init() { m_lab->trustHosts(); }
    void cleanup()
    {
        if (!m_lab)
            return;
        m_lab->host(0).restoreLink();
        m_lab->host(0).run(
            {"sh", "-c", "rm -rf /root/.trainyard /root/.bashrc /root/filler /var/tmp/trainyard-0"});
        awaitNoAgent(); // the file of one that is still ending takes up room
    }

    void putsTheAgentThereOnce()
    {
        {
            auto target = create();
            QSignalSpy progress(target.get(), &Target::progress);
            openAndWait(*target);
            QVERIFY(std::any_of(progress.begin(), progress.end(), [](const auto& p) {
                return p[0].toString().startsWith("uploading the agent");
            }));
            QCOMPARE(target->agent()->host, QString("node1"));
            QCOMPARE(target->agent()->root, QString("/root/.trainyard"));
        }
        auto target = create();
        QSignalSpy progress(target.get(), &Target::progress);
        openAndWait(*target);
        QVERIFY(std::none_of(progress.begin(), progress.end(), [](const auto& p) {
            return p[0].toString().startsWith("uploading the agent");
        }));
        // Nothing half-written, and nobody else may look.
        QCOMPARE(m_lab->host(0).run({"sh", "-c", "ls -A /root/.trainyard/agents/*"}).output.simplified(),
                 QByteArray("trainyard-agent"));
        QCOMPARE(m_lab->host(0).run({"stat", "-c", "%a", "/root/.trainyard"}).output.simplified(),
                 QByteArray("700"));
    }

    void sendsADamagedAgentAgain_data()
    {
        QTest::addColumn<bool>("cut");
        QTest::addColumn<bool>("hashes");
        QTest::addRow("cut short") << true << true;
        QTest::addRow("one bit differs") << false << true;
        QTest::addRow("cut short, a host without sha256sum") << true << false;
    }
    void sendsADamagedAgentAgain()
    {
        QFETCH(bool, cut);
        QFETCH(bool, hashes);
        openAndWait(*create());
        awaitNoAgent();
        lab::LabHost& host = m_lab->host(0);
        const QByteArray whole = host.run({"sh", "-c", "sha256sum " + kInstalled}).output;
        const QString path = host.run({"sh", "-c", "echo " + kInstalled}).output.simplified();
        QFile agent(host.path(path));
        QVERIFY(agent.open(QIODevice::ReadWrite));
        if (cut)
            QVERIFY(agent.resize(agent.size() / 2));
        else
            flipABit(agent);
        agent.close();
        if (!hashes)
            QVERIFY(host.run({"mount", "--bind", "/dev/null", kSum}).ok());
        auto target = create();
        QSignalSpy notices(target.get(), &Target::notice);
        target->open();
        AWAIT(settled(*target));
        if (!hashes)
            QVERIFY(host.run({"umount", kSum}).ok());
        QVERIFY2(target->state() == State::Ready,
                 target->lastError() ? target->lastError()->text().c_str() : "");
        QCOMPARE(host.run({"sh", "-c", "sha256sum " + kInstalled}).output, whole);
        QCOMPARE(host.run({"sh", "-c", "ls -A /root/.trainyard/agents/*"}).output.simplified(),
                 QByteArray("trainyard-agent"));
        QCOMPARE(notices.size(), hashes ? 1 : 0);
        if (hashes)
            QCOMPARE(notices[0][0].toString(),
                     QString("the agent stored on the host was damaged; it has been uploaded again"));
        QSignalSpy progress(target.get(), &Target::progress); // and from now on it stays
        target->close();
        openAndWait(*target);
        QVERIFY(std::none_of(progress.begin(), progress.end(), [](const auto& p) {
            return p[0].toString().startsWith("uploading the agent");
        }));
    }

    void isNotDisturbedByANoisyShell()
    {
        writeInside("/root/.bashrc",
                    "head -c 50000 /dev/zero | tr '\\0' 'x'; echo; echo trainyard-agent; echo noise >&2\n");
        auto target = create();
        openAndWait(*target);
    }

    void goesElsewhereWhenTheHomeAllowsNoPrograms()
    {
        QVERIFY(m_lab->host(0).run({"mount", "-o", "remount,bind,noexec", "/root"}).ok());
        auto target = create();
        target->open();
        AWAIT(settled(*target));
        QVERIFY(m_lab->host(0).run({"mount", "-o", "remount,bind,exec", "/root"}).ok());
        QVERIFY2(target->state() == State::Ready,
                 target->lastError() ? target->lastError()->text().c_str() : "");
        QCOMPARE(target->agent()->root, QString("/var/tmp/trainyard-0"));
    }

    void saysHowMuchADiskLacks()
    {
        QVERIFY(m_lab->host(0).run({"sh", "-c", "head -c 200000000 /dev/zero > /root/filler; true"}).ok());
        auto target = create();
        target->open();
        AWAIT_EQUAL(target->state(), State::Refused);
        const std::string text = target->lastError()->text();
        QVERIFY2(text.find("needs") != std::string::npos && text.find("are free") != std::string::npos,
                 text.c_str());
        // Full, so nothing but the folder may be left; and with room it works.
        QVERIFY(m_lab->host(0).run({"sh", "-c", "find /root/.trainyard -type f"}).output.isEmpty());
        QVERIFY(m_lab->host(0).run({"rm", "/root/filler"}).ok());
        openAndWait(*target);
    }

    void explainsAnAccountWithoutAShell()
    {
        writeInside("/root/.bashrc", "echo This account is closed. >&2; exit 1\n");
        auto target = create();
        target->open();
        AWAIT(settled(*target));
        const std::string text = target->lastError()->text();
        QVERIFY2(text.find("This account is closed") != std::string::npos, text.c_str());
    }

    void asksForAnUnknownHost()
    {
        QFile::remove(m_lab->knownHosts());
        auto target = create();
        QSignalSpy questions(target.get(), &Target::hostKeyUnknown);
        target->open();
        AWAIT_EQUAL(questions.size(), 1);
        const auto question = questions[0][0].value<HostKeyQuestion>();
        QVERIFY(question.fingerprint.startsWith("SHA256:"));
        QCOMPARE(question.keyType, QString("ssh-ed25519"));
        target->answerHostKey(false);
        AWAIT_EQUAL(target->state(), State::Refused);
        target->open();
        AWAIT_EQUAL(questions.size(), 2);
        target->answerHostKey(true);
        AWAIT_EQUAL(target->state(), State::Ready);
    }

    void endsQuicklyWhileAQuestionIsOpen()
    {
        QFile::remove(m_lab->knownHosts());
        auto how = m_lab->targetOptions();
        how.connectTimeout = 10min; // it does not wait for that
        auto target = Target::create(m_lab->host(0).address(), how);
        QSignalSpy questions(target.get(), &Target::hostKeyUnknown);
        target->open();
        AWAIT_EQUAL(questions.size(), 1);
        QElapsedTimer timer;
        timer.start();
        target.reset();
        QVERIFY2(timer.elapsed() < kPatienceMs, qPrintable(QString::number(timer.elapsed())));
    }

    void comesBackAtOnceWhenTheConnectionIsReset()
    {
        auto how = m_lab->targetOptions();
        how.lostAfter = 10min; // it is not the silence that tells
        auto target = Target::create(m_lab->host(0).address(), how);
        openAndWait(*target);
        QSignalSpy states(target.get(), &Target::stateChanged);
        m_lab->host(0).resetConnections();
        AWAIT_EQUAL(states.size(), 2);
        QCOMPARE(states[0][0].value<State>(), State::Lost);
        QCOMPARE(target->state(), State::Ready);
    }

    /// So that no agent stays behind a link that died: what it hears is kept by a script in its place.
    void promisesTheAgentToBeHeardOf()
    {
        TargetOptions options = m_lab->targetOptions();
        options.agentPath = m_lab->file("listener");
        QFile script(options.agentPath);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\ntee /root/heard | " +
                     lab::seenInHosts(TRAINYARD_BIN_DIR "/trainyard-agent").toUtf8() + " \"$@\"\n");
        script.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        script.close();
        auto target = Target::create(m_lab->host(0).address(), options);
        openAndWait(*target);
        // tee writes to the agent first.
        AWAIT(m_lab->host(0).run({"grep", "-aq", "\"silence_ms\":60000", "/root/heard"}).ok());
    }

    void noticesACutLinkAndComesBackWithIt()
    {
        auto how = m_lab->targetOptions();
        how.pingInterval = 500ms;
        how.lostAfter = 5000ms;
        auto target = Target::create(m_lab->host(0).address(), how);
        openAndWait(*target);
        m_lab->host(0).cutLink();
        AWAIT_EQUAL(target->state(), State::Lost);
        m_lab->host(0).restoreLink();
        AWAIT_EQUAL(target->state(), State::Ready);
    }

    void givesUpWaitingForAFrozenServer()
    {
        m_lab->host(0).freezeSshd();
        auto how = m_lab->targetOptions();
        how.connectTimeout = 2000ms;
        auto target = Target::create(m_lab->host(0).address(), how);
        target->open();
        AWAIT_EQUAL(target->state(), State::Lost);
        target.reset();
        m_lab->host(0).thawSshd();
    }

    void checksTheHost()
    {
        auto target = create();
        HostCheck check(*target);
        QSignalSpy finished(&check, &HostCheck::finished);
        check.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto report = finished[0][0].value<HostReport>();
        QCOMPARE(report.facts.hostName, QString("node1"));
        QCOMPARE(report.rows.value(0).verdict, Verdict::Ok);
    }

    /// Last: the host has another key from here on. Also a link that was up does not come back to it.
    void refusesAChangedKeyOnReconnection()
    {
        auto target = create();
        openAndWait(*target);
        QVERIFY(m_lab->host(0).changeHostKey());
        m_lab->host(0).resetConnections();
        AWAIT_EQUAL(target->state(), State::Refused);
        QVERIFY(target->lastError()->message.find("changed") != std::string::npos);
        QTest::qWait(1000);
        QCOMPARE(target->state(), State::Refused); // it does not try again by itself
    }

private:
    std::unique_ptr<Target> create() const
    {
        return Target::create(m_lab->host(0).address(), m_lab->targetOptions());
    }
    static bool settled(const Target& target)
    {
        return target.state() != State::Connecting && target.state() != State::Closed;
    }
    void awaitNoAgent()
    {
        AWAIT(m_lab->host(0)
                  .run({"sh", "-c", "ls -l /proc/[0-9]*/exe 2>/dev/null | grep trainyard-agent"})
                  .output.isEmpty());
    }
    static void flipABit(QFile& file)
    {
        char byte = 0;
        QVERIFY(file.seek(file.size() / 2) && file.getChar(&byte) && file.seek(file.size() / 2));
        QVERIFY(file.putChar(static_cast<char>(byte ^ 1)));
    }
    static void openAndWait(Target& target)
    {
        target.open();
        AWAIT(target.state() == State::Ready ||
              target.state() == State::Refused); // what is lost is tried again
        QVERIFY2(target.state() == State::Ready,
                 target.lastError() ? target.lastError()->text().c_str() : "");
    }
    void writeInside(const QString& path, const QByteArray& content)
    {
        QFile file(m_lab->host(0).path(path));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(content);
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
};

QTEST_GUILESS_MAIN(TestSshTarget)
#include "tst_ssh_target.moc"
