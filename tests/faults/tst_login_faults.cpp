#include <array>
#include <csignal>
#include <memory>

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>
#include <poll.h>
#include <unistd.h>

#include "remote/ssh/connection.h"
#include "remote/ssh/tcp.h"
#include "remote/target/target.h"
#include "tests/faults/lab_accounts.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"
#include "tests/support/ssh/scripted_person.h"

using namespace trainyard;
using namespace std::chrono_literals;

using State = Target::State;

namespace {

constexpr auto kPassword = "right horse";
constexpr auto kNoRetryFor = 700; ///< ms; a link that is tried again has waited 0 and 500 ms by then

QString errorOf(const Target& target)
{
    return target.lastError() ? QString::fromStdString(target.lastError()->text()) : QString();
}

/// An ssh-agent of the test's own.
class Agent {
public:
    explicit Agent(const QString& socket) : m_socket(socket)
    {
        QFile::remove(socket);
        m_process.start("ssh-agent", {"-D", "-a", socket});
        m_process.waitForStarted(kPatienceMs);
        if (!QTest::qWaitFor([&] { return QFile::exists(socket); }, kPatienceMs))
            qFatal("ssh-agent does not start");
        qputenv("SSH_AUTH_SOCK", socket.toUtf8());
    }
    ~Agent()
    {
        qunsetenv("SSH_AUTH_SOCK");
        kill();
    }
    void kill()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    void stop() { ::kill(static_cast<pid_t>(m_process.processId()), SIGSTOP); }
    bool add(const QString& key) const { return run({"ssh-add", "-q", key}); }
    /// Under a password that `askPass` prints.
    bool lock(const QString& askPass) const
    {
        return run({"env", "SSH_ASKPASS=" + askPass, "SSH_ASKPASS_REQUIRE=force", "ssh-add", "-x"});
    }

private:
    bool run(const QStringList& command) const
    {
        return lab::runCommand(QStringList{"env", "SSH_AUTH_SOCK=" + m_socket} + command).ok();
    }
    QString m_socket;
    QProcess m_process;
};

/// A python that has asyncssh; empty = there is none (Debian: python3-asyncssh).
QString pythonWithAsyncSsh()
{
    for (const QString& python : {QString("python3"), QString("/usr/bin/python3")}) {
        if (lab::runCommand({python, "-W", "ignore", "-c", "import asyncssh"}).ok())
            return python;
    }
    return {};
}

/// A server that asks at the login what its mode says; see questioning_server.py.
class QuestioningServer {
public:
    QuestioningServer(const QString& mode, const QString& knownHosts)
    {
        m_process.start(pythonWithAsyncSsh(), {"-W", "ignore", TRAINYARD_QUESTIONING_SERVER, mode});
        const QJsonObject begin = nextLine();
        m_port = begin["port"].toInt();
        QFile file(knownHosts);
        if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
            file.write(QString("[127.0.0.1]:%1 %2 %3\n")
                           .arg(m_port)
                           .arg(begin["key"][0].toString(), begin["key"][1].toString())
                           .toUtf8());
    }
    ~QuestioningServer()
    {
        m_process.kill();
        m_process.waitForFinished();
    }
    int port() const { return m_port; }
    /// What it says next: its port, or what it was answered.
    QJsonObject nextLine()
    {
        while (!m_process.canReadLine() && m_process.waitForReadyRead(kPatienceMs)) {
        }
        return QJsonDocument::fromJson(m_process.readLine()).object();
    }

private:
    QProcess m_process;
    int m_port = 0;
};

} // namespace

/// Faults 20 to 28: a login that does not go as planned.
class TestLoginFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        lab::NetnsLab::Options options;
        options.hosts = 1;
        options.diskSize = "256m";
        options.sshdOptions =
            lab::LabAccounts::sshdOptions() + QStringList{"Match User forced",
                                                          "ForceCommand echo This key makes backups only.",
                                                          "Match User transfer",
                                                          "ForceCommand internal-sftp",
                                                          "ChrootDirectory /mnt/jail",
                                                          "Match User tries",
                                                          "MaxAuthTries 1",
                                                          "Match User single",
                                                          "MaxSessions 1",
                                                          "Match User nothing",
                                                          "ForceCommand /bin/false"};
        m_lab = std::make_unique<lab::NetnsLab>(options);
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        QVERIFY(host().run({"mkdir", "-m", "755", "/mnt/jail"}).ok());
        lab::LabAccounts accounts(host());
        using Account = lab::LabAccounts::Account;
        for (const Account& account :
             {Account{"alice", "/bin/bash", kPassword, false},
              Account{"expired", "/bin/bash", kPassword, true}, Account{"forced", "/bin/bash", "", false},
              Account{"transfer", "/bin/bash", "", false}, Account{"tries", "/bin/bash", "", false},
              Account{"single", "/bin/bash", "", false}, Account{"nothing", "/bin/bash", "", false},
              Account{"closed", "/usr/sbin/nologin", "", false}, Account{"false", "/bin/false", "", false},
              Account{"noisy", "/bin/bash", "", false}, Account{"hanging", "/bin/bash", "", false},
              Account{"elsewhere", "/bin/bash", "", false}, Account{"fish", "/usr/bin/fish", "", false},
              Account{"tcsh", "/usr/bin/tcsh", "", false}, Account{"dash", "/bin/dash", "", false},
              Account{"zsh", "/usr/bin/zsh", "", false}}) {
            const QString wrong = accounts.add(account);
            QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        }
    }
    void cleanupTestCase() { m_lab.reset(); }
    void init() { m_lab->trustHosts(); }

    void f20_keyRemovedOnTheServer()
    {
        FaultReport report(20, "wrong key, or key removed on the server", "one clear error, no retry storm");
        writeInside(lab::LabAccounts::home("alice") + "/.ssh/authorized_keys", "");
        report.injected("empty authorized_keys");
        auto options = optionsFor("alice");
        options.sshConfigFile = write("no_password", "Host *\n  PasswordAuthentication no\n");
        const qsizetype before = log().count("Connection from");
        auto target = create(options);
        target->open();
        AWAIT_EQUAL(target->state(), State::Refused);
        QTest::qWait(kNoRetryFor);
        QCOMPARE(log().count("Connection from") - before, 1);
        QVERIFY2(errorOf(*target).contains("client_key") && errorOf(*target).contains("ssh-copy-id"),
                 qPrintable(errorOf(*target)));
        report.observed("1 connection in all: " + errorOf(*target));
        QVERIFY(host()
                    .run({"cp", "/root/.ssh/authorized_keys",
                          lab::LabAccounts::home("alice") + "/.ssh/authorized_keys"})
                    .ok());
    }

    void f21_agentWithTwentyKeys()
    {
        FaultReport report(21, "ssh-agent with 20 keys",
                           "the wanted one is found, at most 2 keys are offered");
        const Agent agent(m_lab->file("full.sock"));
        for (int i = 0; i < 19; ++i)
            QVERIFY(agent.add(makeKey(QString("agent%1").arg(i))));
        QVERIFY(agent.add(m_lab->clientKey()));
        report.injected("20 keys, the wanted one last");
        // Only the public half lies beside the identity file: the private one must come from the agent.
        const QString named = m_lab->file("in_agent");
        QVERIFY(QFile::copy(m_lab->clientKey() + ".pub", named + ".pub"));
        auto options = optionsFor("alice");
        options.useSshAgent = true;
        options.identityFiles = QStringList{named};
        const qsizetype failed = log().count("Failed publickey");
        auto target = create(options);
        target->open();
        AWAIT_EQUAL(target->state(), State::Ready);
        const auto offered = log().count("Failed publickey") - failed + 1;
        QVERIFY2(offered <= 2, qPrintable(QString::number(offered)));
        report.observed(QString("connected, %1 key offered").arg(offered));
    }

    void f22_agentDiesIsLockedHangs()
    {
        FaultReport report(22, "ssh-agent dies, is locked, hangs",
                           "falls through to the key file, a hanging one after 5 s");
        auto options = optionsFor("alice");
        options.useSshAgent = true;
        for (const QString& how : {QString("dead"), QString("locked"), QString("hanging")}) {
            Agent agent(m_lab->file(how + ".sock"));
            QVERIFY(agent.add(makeKey(how)));
            if (how == "dead")
                agent.kill();
            else if (how == "locked")
                QVERIFY(agent.lock(writeScript("askpass", "#!/bin/sh\necho lock\n")));
            else
                agent.stop();
            report.injected(how);
            QElapsedTimer timer;
            timer.start();
            auto target = create(options);
            target->open();
            AWAIT_EQUAL(target->state(), State::Ready);
            report.observed(
                QString("%1: connected after %2 s").arg(how).arg(timer.elapsed() / 1000.0, 0, 'f', 1));
        }
    }

    void f23_serverDisconnectsDuringAuthentication()
    {
        FaultReport report(23, "server disconnects during authentication",
                           "an error within 10 s (libssh would wait for ever), and no retry");
        const Agent agent(m_lab->file("tries.sock"));
        for (int i = 0; i < 4; ++i)
            QVERIFY(agent.add(makeKey(QString("wrong%1").arg(i))));
        auto options = optionsFor("tries");
        options.useSshAgent = true;
        options.identityFiles = QStringList{m_lab->file("nonexistent")};
        QVERIFY(options.connectTimeout < 10s); // that users have
        options.connectTimeout = 4s;
        const qsizetype before = log().count("Too many authentication failures");
        QElapsedTimer timer;
        timer.start();
        auto target = create(options);
        target->open();
        AWAIT_EQUAL(target->state(), State::Refused);
        const double seconds = timer.elapsed() / 1000.0;
        QVERIFY(log().count("Too many authentication failures") > before);
        report.injected("MaxAuthTries 1, 4 wrong keys in the agent; sshd logged the disconnection");
        QVERIFY2(errorOf(*target).contains("hung up"), qPrintable(errorOf(*target)));
        QTest::qWait(kNoRetryFor);
        QCOMPARE(target->state(), State::Refused);
        report.observed(QString("after %1 s: %2").arg(seconds, 0, 'f', 1).arg(errorOf(*target)));
    }

    void f24_keyboardInteractive_data()
    {
        QTest::addColumn<QString>("asked");   ///< empty = nobody is asked
        QTest::addColumn<QString>("outcome"); ///< empty = logged in; otherwise words of the error
        QTest::newRow("none") << ""
                              << "";
        QTest::newRow("one") << "Password: 1"
                             << "";
        QTest::newRow("three") << "Password:, Code:, Project: 1"
                               << "";
        QTest::newRow("rounds") << "Password: 1|One-time code: 1"
                                << "";
        QTest::newRow("endless") << QString("Again: 1|").repeated(17).chopped(1) << "keeps asking";
        QTest::newRow("nine") << ""
                              << "9 questions at once";
        QTest::newRow("many") << ""
                              << "too many questions";
        QTest::newRow("long") << QString(512, 'x') + "… 1"
                              << "";
        QTest::newRow("escapes")
            << "\uFFFD[2J\uFFFD]0;owned\uFFFDPass\uFFFDword\uFFFD\uFFFD31m for <b>you</b> 1"
            << "";
        QTest::newRow("expired") << "password of alice 1"
                                 << "has expired";
    }
    void f24_keyboardInteractive()
    {
        QFETCH(QString, asked);
        QFETCH(QString, outcome);
        QVERIFY2(!pythonWithAsyncSsh().isEmpty(), "packaging/setup installs python3-asyncssh");
        FaultReport report(24, QString("login asks: %1").arg(QTest::currentDataTag()),
                           outcome.isEmpty() ? "answered, as plain text" : "refused: " + outcome);
        QuestioningServer server(QTest::currentDataTag(), m_lab->file("asking_hosts"));
        QVERIFY(server.port() > 0);
        report.injected("fake server in this mode");
        ScriptedPerson person;
        person.secret = "s3cret";
        ssh::Interrupt interrupt;
        auto options = askingOptions(server.port());
        if (outcome == "too many questions" || outcome == "has expired")
            options.timeout = 4s; // libssh leaves these two waiting
        const auto connection = ssh::Connection::open("127.0.0.1", options, person, interrupt);
        const QString error = connection.ok() ? QString() : QString::fromStdString(connection.error().text());
        if (outcome.isEmpty())
            QVERIFY2(connection.ok(), qPrintable(error));
        else
            QVERIFY2(error.contains(outcome), qPrintable(error));
        QCOMPARE(person.asked.join('|'), asked);
        for (const auto& inquiry : person.inquiries) {
            QVERIFY(inquiry.prompts.size() <= 8);
            for (const std::string& text : {inquiry.title, inquiry.instruction, inquiry.prompts[0].text})
                QVERIFY(isPlain(QString::fromStdString(text)));
        }
        for (const QString& notice : person.notices)
            QVERIFY(isPlain(notice));
        report.observed(
            error.isEmpty() ? QString("logged in, asked: %1").arg(person.asked.join(", ").left(80)) : error);
    }

    void f25_accountsThatRunNothing_data()
    {
        QTest::addColumn<QString>("words");
        QTest::newRow("expired") << "password has expired";
        QTest::newRow("forced") << "runs a fixed command instead of Trainyard's: This key makes backups only.";
        QTest::newRow("nothing") << "ends with status 1";
        QTest::newRow("closed") << "has no login shell: This account is currently not available.";
        QTest::newRow("false") << "ends with status 1";
        QTest::newRow("transfer") << "file transfer (SFTP) only";
    }
    void f25_accountsThatRunNothing()
    {
        QFETCH(QString, words);
        const QString user = QTest::currentDataTag();
        FaultReport report(25, "account: " + user, "exact diagnosis, no retry");
        auto options = optionsFor(user);
        if (user == "expired") // only a login by password hears of it
            options.identityFiles = QStringList{m_lab->file("nonexistent")};
        report.injected("user " + user);
        auto target = create(options);
        connect(target.get(), &Target::loginNeeded, this,
                [&] { target->answerLogin(onePassword(kPassword)); });
        target->open();
        AWAIT_EQUAL(target->state(), State::Refused);
        QVERIFY2(errorOf(*target).contains(words), qPrintable(errorOf(*target)));
        report.observed(errorOf(*target));
    }

    void f26_fewConnectionsAndSessionsAllowed()
    {
        FaultReport report(26, "MaxStartups and MaxSessions reached", "backs off, and works with fewer");
        {
            auto single = create(optionsFor("single"));
            single->open(); // stores the agent first: three sessions, one after the other
            awaitReady(*single);
        }
        report.injected("MaxSessions 1");
        QVERIFY(limitStartups());
        const qsizetype dropped = log().count("past MaxStartups");
        std::vector<FileDescriptor> idle; // connections that never log in take both places
        AWAIT(idle.size() == 2 || (takePlace(idle) && idle.size() == 2));
        std::vector<std::unique_ptr<Target>> targets;
        for (int i = 0; i < 8; ++i) {
            targets.push_back(create(m_lab->targetOptions()));
            targets.back()->open();
        }
        AWAIT(std::all_of(targets.begin(), targets.end(),
                          [](const auto& target) { return target->state() == State::Lost; }));
        const QString error = errorOf(*targets[0]);
        idle.clear();
        AWAIT(std::all_of(targets.begin(), targets.end(),
                          [](const auto& target) { return target->state() == State::Ready; }));
        const auto drops = log().count("past MaxStartups") - dropped;
        QVERIFY(restoreConfig());
        QVERIFY2(drops > 0, "sshd dropped nothing: the fault was not there");
        report.injected(QString("MaxStartups 2:100:2, %1 connections dropped").arg(drops));
        report.observed("8 links opened at once, all up in the end; meanwhile: " + error);
    }

    void f27_startUpFileIsNoisyOrHangs()
    {
        FaultReport report(27, "noisy or hanging start-up file", "works, or says what the shell did");
        const auto rc = [](const QString& user) { return lab::LabAccounts::home(user) + "/.bashrc"; };
        writeInside(rc("alice"), "head -c 50000 /dev/zero | tr '\\0' x; echo; echo trouble >&2\n");
        writeInside(rc("noisy"), "head -c 1000000 /dev/zero | tr '\\0' x; echo\n");
        writeInside(rc("hanging"), "sleep 60\n");
        writeInside(rc("elsewhere"), "exec zsh\n");
        report.injected("50 kB of noise, 1 MB of noise, sleep 60, exec zsh");
        std::map<QString, std::unique_ptr<Target>> targets; // at once: two of them take 15 s
        for (const char* user : {"alice", "noisy", "hanging", "elsewhere"})
            targets[user] = create(optionsFor(user));
        for (const auto& [user, target] : targets)
            target->open();
        awaitReady(*targets["alice"]);
        for (const auto& [user, words] :
             {std::pair{"noisy", "start-up"}, {"hanging", "start-up"}, {"elsewhere", "start-up"}}) {
            AWAIT(errorOf(*targets.at(user)).contains(words));
            report.observed(QString("%1: %2").arg(user, errorOf(*targets[user]).left(160)));
        }
        for (const char* user : {"alice", "noisy", "hanging", "elsewhere"})
            QVERIFY(host().run({"rm", rc(user)}).ok());
    }

    void f28_loginShells_data()
    {
        QTest::addColumn<QString>("shell");
        for (const char* shell : {"fish", "tcsh", "dash", "zsh"})
            QTest::newRow(shell) << shell;
    }
    void f28_loginShells()
    {
        QFETCH(QString, shell);
        QVERIFY2(host().run({"sh", "-c", "command -v " + shell}).ok(), "packaging/setup installs the shell");
        FaultReport report(28, "login shell " + shell, "the agent is stored and started");
        report.injected("user with " + shell);
        auto target = create(optionsFor(shell));
        QSignalSpy progress(target.get(), &Target::progress);
        target->open();
        awaitReady(*target);
        QCOMPARE(target->agent()->root, lab::LabAccounts::home(shell) + "/.trainyard");
        QVERIFY(std::any_of(progress.begin(), progress.end(),
                            [](const auto& p) { return p[0].toString().startsWith("uploading the agent"); }));
        report.observed("up, under " + target->agent()->root);
    }

private:
    lab::LabHost& host() { return m_lab->host(0); }
    QByteArray log() { return host().run({"cat", "/mnt/lab/sshd.log"}).output; }

    std::unique_ptr<Target> create(const TargetOptions& options)
    {
        return Target::create(host().address(), options);
    }
    TargetOptions optionsFor(const QString& user) const
    {
        auto options = m_lab->targetOptions();
        options.user = user;
        return options;
    }
    ssh::Connection::Options askingOptions(int port) const
    {
        ssh::Connection::Options options;
        options.overrides.user = "alice";
        options.overrides.port = port;
        options.overrides.configFile = "none";
        options.overrides.identityFiles = {"/nonexistent"};
        options.overrides.knownHostsFile = m_lab->file("asking_hosts").toStdString();
        options.overrides.useAgent = false;
        options.timeout = 10min; // longer than any test waits
        return options;
    }
    static ssh::LoginAnswers onePassword(std::string_view text)
    {
        std::vector<ssh::Secret> answers;
        answers.emplace_back(text);
        return answers;
    }
    /// What is lost is tried again.
    static void awaitReady(const Target& target)
    {
        AWAIT(target.state() == State::Ready || target.state() == State::Refused);
        QVERIFY2(target.state() == State::Ready, qPrintable(errorOf(target)));
    }
    static bool isPlain(const QString& text)
    {
        return std::none_of(text.begin(), text.end(), [](QChar c) {
            return (c.category() == QChar::Other_Control && c != u'\n') ||
                   c.category() == QChar::Other_Format;
        });
    }

    /// One more connection that has its banner and says nothing.
    bool takePlace(std::vector<FileDescriptor>& idle)
    {
        ssh::Interrupt interrupt;
        auto socket = ssh::connectTcp({host().address().toStdString()}, interrupt, ssh::deadlineIn(10s));
        if (!socket.ok() ||
            interrupt.waitFor(socket->get(), POLLIN, ssh::deadlineIn(10s)) != ssh::Interrupt::Woken::Ready)
            return false;
        std::array<char, 4> banner{};
        if (::read(socket->get(), banner.data(), banner.size()) != 4 ||
            banner != std::array{'S', 'S', 'H', '-'})
            return false;
        idle.push_back(std::move(socket).value());
        return true;
    }

    /// In place of the lab's own line: the last one counts.
    bool limitStartups()
    {
        QFile file(host().path("/mnt/lab/sshd_config"));
        if (!file.open(QIODevice::ReadOnly))
            return false;
        m_config = file.readAll();
        return m_config.contains("MaxStartups 100:30:200") &&
               writeConfig(QByteArray(m_config).replace("MaxStartups 100:30:200", "MaxStartups 2:100:2"));
    }
    bool restoreConfig() { return writeConfig(m_config); }
    bool writeConfig(const QByteArray& text)
    {
        QFile file(host().path("/mnt/lab/sshd_config"));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size())
            return false;
        file.close();
        host().stopSshd();
        return host().startSshd();
    }
    void writeInside(const QString& path, const QByteArray& text)
    {
        QFile file(host().path(path));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
        file.setPermissions(file.permissions() | QFile::ReadOther);
    }
    QString write(const QString& name, const QByteArray& text) const
    {
        QFile file(m_lab->file(name));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) || file.write(text) != text.size())
            qFatal("cannot write %s", qPrintable(file.fileName()));
        return file.fileName();
    }
    QString writeScript(const QString& name, const QByteArray& text) const
    {
        const QString path = write(name, text);
        QFile::setPermissions(path, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    QString makeKey(const QString& name) const
    {
        const QString path = m_lab->file(name);
        if (!lab::runCommand({"ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path}).ok())
            qFatal("ssh-keygen failed");
        return path;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    QByteArray m_config;
};

QTEST_GUILESS_MAIN(TestLoginFaults)
#include "tst_login_faults.moc"
