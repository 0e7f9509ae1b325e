#include <csignal>
#include <memory>
#include <thread>

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTest>
#include <arpa/inet.h>
#include <sys/socket.h>

#include "remote/ssh/base64.h"
#include "remote/ssh/command.h"
#include "remote/ssh/connection.h"
#include "tests/support/file_content.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"
#include "tests/support/ssh/scripted_person.h"

using namespace trainyard;
using namespace trainyard::ssh;
using namespace std::chrono_literals;

namespace {

void writeText(const QString& path, const QByteArray& text,
               QFile::Permissions permissions = QFile::ReadOwner | QFile::WriteOwner)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(text);
    file.setPermissions(permissions);
}

QString errorText(const Result<Connection>& connection)
{
    return connection.ok() ? QString("connected") : QString::fromStdString(connection.error().text());
}

/// A socket that accepts and then says nothing.
class MuteServer {
public:
    MuteServer() : m_socket(::socket(AF_INET, SOCK_STREAM, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        ::bind(m_socket.get(), reinterpret_cast<sockaddr*>(&address), size);
        ::listen(m_socket.get(), 5);
        ::getsockname(m_socket.get(), reinterpret_cast<sockaddr*>(&address), &size);
        m_port = ntohs(address.sin_port);
    }
    int port() const { return m_port; }

private:
    FileDescriptor m_socket;
    int m_port = 0;
};

} // namespace

class TestConnection : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "64m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_lab->trustHosts();
        m_options = {};
        m_options.overrides.user = "root";
        m_options.overrides.configFile = "none";
        m_options.overrides.identityFiles = {m_lab->clientKey().toStdString()};
        m_options.overrides.knownHostsFile = m_lab->knownHosts().toStdString();
        m_options.overrides.useAgent = false;
        m_options.timeout = 10min; // longer than any test waits: nothing here may be waited out
    }

    void runsACommandAndTellsItsExitStatus()
    {
        ScriptedPerson person;
        Interrupt interrupt;
        auto connection = open(person, interrupt);
        QVERIFY2(connection.ok(), qPrintable(errorText(connection)));
        const auto done = runCommand(connection->session(), "cat; hostname; echo oops >&2; exit 7", "input\n",
                                     60s, interrupt);
        QVERIFY2(done.ok(), done.ok() ? "" : done.error().text().c_str());
        QCOMPARE(done->exitStatus, std::optional(7));
        QCOMPARE(done->output, std::string("input\nnode1\n"));
        QCOMPARE(done->errors, std::string("oops\n"));
        QVERIFY(person.asked.isEmpty());
    }

    void asksAboutAnUnknownKeyAndRemembersTheYes()
    {
        writeText(m_lab->knownHosts(), "");
        ScriptedPerson person;
        Interrupt interrupt;
        auto refused = open(person, interrupt);
        QCOMPARE(refused.error().kind, ErrorKind::Refused);
        QVERIFY2(errorText(refused).contains("not trusted"), qPrintable(errorText(refused)));
        person.trust = true;
        QVERIFY(open(person, interrupt).ok());
        QVERIFY(open(person, interrupt).ok());
        QCOMPARE(person.asked.size(), 2); // the third time it is known
        QFile known(m_lab->knownHosts());
        QVERIFY(known.open(QIODevice::ReadOnly));
        QCOMPARE(known.readAll(), m_lab->host(0).knownHostsLine());
    }

    void refusesAChangedKeyWhateverTheConfigurationSays()
    {
        const QString config = m_lab->file("ssh_config");
        writeText(config, "Host *\n  StrictHostKeyChecking no\n");
        m_options.overrides.configFile = config.toStdString();
        const QByteArray old = m_lab->host(0).knownHostsLine();
        QVERIFY(m_lab->host(0).changeHostKey());
        writeText(m_lab->knownHosts(), old + m_lab->host(0).address().toUtf8() + " ssh-ed25519 garbage\n");
        ScriptedPerson person;
        person.trust = true;
        Interrupt interrupt;
        const auto connection = open(person, interrupt);
        QCOMPARE(connection.error().kind, ErrorKind::Refused);
        QVERIFY2(errorText(connection).contains("changed"), qPrintable(errorText(connection)));
        QVERIFY2(errorText(connection).contains("line 1"), qPrintable(errorText(connection)));
        QVERIFY(person.asked.isEmpty());
        QCOMPARE(person.notices.size(), 2); // StrictHostKeyChecking, and the unreadable line
        QCOMPARE(person.changes.size(), std::size_t(1));
        const Interaction::HostKeyChange& change = person.changes.front();
        QCOMPARE(change.known.size(), std::size_t(1));
        QCOMPARE(change.known.front().line, 1);
        QVERIFY(old.contains(QByteArray::fromStdString(toBase64(change.known.front().key.blob))));
        QVERIFY(
            m_lab->host(0).knownHostsLine().contains(QByteArray::fromStdString(toBase64(change.shown.blob))));
    }

    void refusesARevokedKey()
    {
        const QByteArray line = m_lab->host(0).knownHostsLine();
        writeText(m_lab->knownHosts(), line + "@revoked " + line);
        ScriptedPerson person;
        person.trust = true;
        Interrupt interrupt;
        const auto connection = open(person, interrupt);
        QCOMPARE(connection.error().kind, ErrorKind::Refused);
        QVERIFY2(errorText(connection).contains("revoked"), qPrintable(errorText(connection)));
    }

    void saysWhatToDoWhenNoKeyOpens()
    {
        const QString other = m_lab->file("other_key");
        QVERIFY(lab::runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other}).ok());
        m_options.overrides.identityFiles = {other.toStdString(), "/nonexistent"};
        ScriptedPerson person;
        Interrupt interrupt;
        QElapsedTimer timer;
        timer.start();
        const auto connection = open(person, interrupt);
        QCOMPARE(connection.error().kind, ErrorKind::Refused);
        QVERIFY2(errorText(connection).contains("other_key"), qPrintable(errorText(connection)));
        QVERIFY2(errorText(connection).contains("ssh-copy-id"), qPrintable(errorText(connection)));
        QVERIFY(timer.elapsed() < kPatienceMs);
    }

    // The host trusts the authority, and not the key by itself.
    void logsInWithACertificate_data()
    {
        QTest::addColumn<QString>("suffix");
        QTest::addRow("beside the key") << "-cert.pub";
        QTest::addRow("CertificateFile") << "_elsewhere.pub";
    }
    void logsInWithACertificate()
    {
        QFETCH(QString, suffix);
        const QString name = QTest::currentDataTag()[0] == 'b' ? "certified" : "certified_too";
        const QString key = m_lab->file(name);
        const QString authority = m_lab->file(name + "_authority");
        for (const QString& made : {key, authority})
            QVERIFY(lab::runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", made}).ok());
        const QByteArray trusted = "cert-authority " + support::contentOf(authority + ".pub");
        ScriptedPerson person;
        Interrupt interrupt;
        {
            auto owner = open(person, interrupt);
            QVERIFY(runCommand(owner->session(), "cat >> /root/.ssh/authorized_keys", trusted.toStdString(),
                               60s, interrupt)
                        .ok());
        }
        m_options.overrides.identityFiles = {key.toStdString()};
        QCOMPARE(open(person, interrupt).error().kind, ErrorKind::Refused);
        QVERIFY(lab::runCommand(
                    {"ssh-keygen", "-q", "-s", authority, "-I", "somebody", "-n", "root", key + ".pub"})
                    .ok());
        if (suffix != "-cert.pub") {
            QVERIFY(QFile::rename(key + "-cert.pub", key + suffix));
            const QString config = m_lab->file("certificate_config");
            writeText(config, "Host *\n  CertificateFile " + (key + suffix).toUtf8() + "\n");
            m_options.overrides.configFile = config.toStdString();
        }
        const auto connection = open(person, interrupt);
        QVERIFY2(connection.ok(), qPrintable(errorText(connection)));
    }

    void refusesAKeyThatOthersMayRead()
    {
        const QString open_key = m_lab->file("open_key");
        QVERIFY(QFile::copy(m_lab->clientKey(), open_key));
        QVERIFY(QFile::setPermissions(open_key, QFile::ReadOwner | QFile::ReadOther));
        m_options.overrides.identityFiles = {open_key.toStdString()};
        ScriptedPerson person;
        Interrupt interrupt;
        const auto connection = open(person, interrupt);
        QVERIFY2(errorText(connection).contains("may be read by others"), qPrintable(errorText(connection)));
    }

    void asksForAPassphraseAtMostThreeTimes()
    {
        const QString locked = m_lab->file("locked_key");
        QVERIFY(QFile::copy(m_lab->clientKey(), locked));
        QVERIFY(QFile::copy(m_lab->clientKey() + ".pub", locked + ".pub"));
        QVERIFY(QFile::setPermissions(locked, QFile::ReadOwner | QFile::WriteOwner));
        QVERIFY(
            lab::runCommand({"ssh-keygen", "-q", "-p", "-P", "", "-N", "right horse", "-f", locked}).ok());
        m_options.overrides.identityFiles = {locked.toStdString()};
        Interrupt interrupt;
        ScriptedPerson wrong;
        wrong.secret = "wrong";
        QCOMPARE(open(wrong, interrupt).error().kind, ErrorKind::Refused);
        QCOMPARE(wrong.asked, (QStringList{"passphrase of locked_key 1", "passphrase of locked_key 2",
                                           "passphrase of locked_key 3"}));
        ScriptedPerson right;
        right.secret = "right horse";
        const auto connection = open(right, interrupt);
        QVERIFY2(connection.ok(), qPrintable(errorText(connection)));
    }

    /// Nine keys in the agent, of which the server would hang up after six; the wanted one comes last.
    void findsItsKeyInAFullSshAgent()
    {
        const QString socket = m_lab->file("agent.sock");
        QProcess agent;
        agent.start("ssh-agent", {"-D", "-a", socket});
        QVERIFY(agent.waitForStarted());
        AWAIT(QFile::exists(socket));
        const auto add = [&](const QString& key) {
            return lab::runCommand({"env", "SSH_AUTH_SOCK=" + socket, "ssh-add", "-q", key}).ok();
        };
        for (int i = 0; i < 8; ++i) {
            const QString key = m_lab->file(QString("agent_key%1").arg(i));
            QVERIFY(lab::runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key}).ok());
            QVERIFY(add(key));
        }
        QVERIFY(add(m_lab->clientKey()));
        // Only the public half lies beside the identity file: the private one must come from the agent.
        const QString named = m_lab->file("in_agent");
        QVERIFY(QFile::copy(m_lab->clientKey() + ".pub", named + ".pub"));
        qputenv("SSH_AUTH_SOCK", socket.toUtf8());
        m_options.overrides.useAgent = true;
        m_options.overrides.identityFiles = {named.toStdString()};
        ScriptedPerson person;
        Interrupt interrupt;
        const auto connection = open(person, interrupt);
        qunsetenv("SSH_AUTH_SOCK");
        agent.kill();
        agent.waitForFinished();
        QVERIFY2(connection.ok(), qPrintable(errorText(connection)));
    }

    void givesUpOnAnSshAgentThatHangs()
    {
        const QString socket = m_lab->file("hung.sock");
        QProcess agent;
        agent.start("ssh-agent", {"-D", "-a", socket});
        QVERIFY(agent.waitForStarted());
        AWAIT(QFile::exists(socket));
        ::kill(static_cast<pid_t>(agent.processId()), SIGSTOP);
        qputenv("SSH_AUTH_SOCK", socket.toUtf8());
        m_options.overrides.useAgent = true;
        ScriptedPerson person;
        Interrupt interrupt;
        QElapsedTimer timer;
        timer.start();
        const auto connection = open(person, interrupt);
        qunsetenv("SSH_AUTH_SOCK");
        agent.kill();
        agent.waitForFinished();
        QVERIFY2(connection.ok(), qPrintable(errorText(connection))); // by the key file
        QVERIFY(timer.elapsed() < kPatienceMs);                       // 5 s for the agent
    }

    void timesOutOnAServerThatSaysNothing()
    {
        const MuteServer mute;
        m_options.overrides.port = mute.port();
        m_options.timeout = 2s;
        ScriptedPerson person;
        Interrupt interrupt;
        QElapsedTimer timer;
        timer.start();
        const auto connection = Connection::open("127.0.0.1", m_options, person, interrupt);
        QCOMPARE(connection.error().kind, ErrorKind::Unreachable);
        QVERIFY2(timer.elapsed() < kPatienceMs, qPrintable(QString::number(timer.elapsed())));
    }

    void namesTheHostThatIsDown()
    {
        m_lab->host(1).cutLink();
        m_options.timeout = 2s;
        ScriptedPerson person;
        Interrupt interrupt;
        QElapsedTimer timer;
        timer.start();
        const auto connection =
            Connection::open(m_lab->host(1).address().toStdString(), m_options, person, interrupt);
        m_lab->host(1).restoreLink();
        QCOMPARE(connection.error().kind, ErrorKind::Unreachable);
        QVERIFY2(errorText(connection).startsWith(m_lab->host(1).address()),
                 qPrintable(errorText(connection)));
        QVERIFY(timer.elapsed() < kPatienceMs);
    }

    void endsAtOnceWhenInterrupted()
    {
        const MuteServer mute;
        m_options.overrides.port = mute.port();
        ScriptedPerson person;
        Interrupt interrupt;
        std::thread other([&] {
            std::this_thread::sleep_for(300ms);
            interrupt.trigger();
        });
        QElapsedTimer timer;
        timer.start();
        const auto connection = Connection::open("127.0.0.1", m_options, person, interrupt);
        other.join();
        QCOMPARE(connection.error().kind, ErrorKind::Cancelled);
        QVERIFY(timer.elapsed() < kPatienceMs);
    }

    void reachesAHostThroughAnotherAndChecksBothKeys()
    {
        const QByteArray near = m_lab->host(0).address().toUtf8(), far = m_lab->host(1).address().toUtf8();
        const QString config = m_lab->file("jump_config");
        writeText(config, "Host near far\n  User root\n  IdentityFile " + m_lab->clientKey().toUtf8() +
                              "\n  UserKnownHostsFile " + m_lab->knownHosts().toUtf8() +
                              "\n  IdentityAgent none\nHost near\n  HostName " + near +
                              "\nHost far\n  HostName " + far + "\n  ProxyJump near\n");
        m_options.overrides = {};
        m_options.overrides.configFile = config.toStdString();
        ScriptedPerson person;
        Interrupt interrupt;
        {
            auto connection = Connection::open("far", m_options, person, interrupt);
            QVERIFY2(connection.ok(), qPrintable(errorText(connection)));
            const auto done = runCommand(connection->session(), "hostname", "", 60s, interrupt);
            QCOMPARE(done->output, std::string("node2\n"));
        }
        writeText(m_lab->knownHosts(), m_lab->host(0).knownHostsLine());
        const auto unknown = Connection::open("far", m_options, person, interrupt);
        QVERIFY2(errorText(unknown).contains("far (via near)"), qPrintable(errorText(unknown)));
        QCOMPARE(person.asked.value(0), QString("key of " + far + " via near"));
    }

private:
    Result<Connection> open(Interaction& person, Interrupt& interrupt)
    {
        return Connection::open(m_lab->host(0).address().toStdString(), m_options, person, interrupt);
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    Connection::Options m_options;
};

QTEST_GUILESS_MAIN(TestConnection)
#include "tst_connection.moc"
