#include <csignal>

#include <QFile>
#include <QJsonDocument>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "remote/preflight/host_check.h"
#include "remote/target/read_file.h"
#include "remote/target/target.h"
#include "remote/wire/frame.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace std::chrono_literals;

using State = Target::State;

class TestLocalTarget : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY2(QFile::exists(kAgent), "trainyard-agent is not built");
        QVERIFY(m_folder.isValid());
    }

    void getsReadyAndCarriesRequests()
    {
        auto target = open();
        AWAIT_EQUAL(target->state(), State::Ready);
        QCOMPARE(target->agent()->version, QString(TRAINYARD_VERSION));
        QCOMPARE(target->agent()->root, m_folder.path());
        std::optional<Result<QJsonObject>> reply;
        target->call({{"op", "ping"}}, [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QVERIFY(reply->ok());
        QVERIFY((*reply)->value("time").toObject().value("wall_ns").toInteger() > 0);
    }

    void passesTheAgentsErrorOn()
    {
        auto target = open();
        AWAIT_EQUAL(target->state(), State::Ready);
        std::optional<Result<QJsonObject>> reply;
        target->call({{"op", "streams"}, {"run", "../etc"}},
                     [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QCOMPARE(reply->error().kind, ErrorKind::BadInput);
        QVERIFY(reply->error().message.starts_with("localhost: "));
    }

    void answersCallsThatCannotBeMade()
    {
        auto target = Target::create("localhost", options());
        std::optional<Result<QJsonObject>> reply;
        target->call({{"op", "ping"}}, [&](const Result<QJsonObject>& r) { reply = r; });
        QVERIFY(!reply.has_value()); // later, never inside the call
        AWAIT(reply.has_value());
        QCOMPARE(reply->error().kind, ErrorKind::Unreachable);
    }

    void closesTwiceAndOpensAgain()
    {
        auto target = open();
        AWAIT_EQUAL(target->state(), State::Ready);
        std::optional<Result<QJsonObject>> reply;
        target->call({{"op", "probe"}}, [&](const Result<QJsonObject>& r) { reply = r; });
        target->close();
        QCOMPARE(reply->error().kind, ErrorKind::Cancelled);
        target->close();
        QCOMPARE(target->state(), State::Closed);
        target->open();
        AWAIT_EQUAL(target->state(), State::Ready);
    }

    void comesBackWhenTheAgentIsKilled()
    {
        auto target = open();
        AWAIT_EQUAL(target->state(), State::Ready);
        QSignalSpy states(target.get(), &Target::stateChanged);
        std::optional<Result<QJsonObject>> reply;
        target->call({{"op", "hello"}}, [&](const Result<QJsonObject>& r) { reply = r; });
        AWAIT(reply.has_value());
        QCOMPARE(::kill(static_cast<pid_t>((*reply)->value("pid").toInteger()), SIGKILL), 0);
        AWAIT_EQUAL(states.size(), 2);
        QCOMPARE(states[0][0].value<State>(), State::Lost);
        QCOMPARE(states[1][0].value<State>(), State::Ready);
    }

    void saysWhichProgramIsMissing()
    {
        auto wrong = options();
        wrong.agentPath = "/nonexistent/trainyard-agent";
        auto target = Target::create("localhost", wrong);
        target->open();
        AWAIT_EQUAL(target->state(), State::Refused);
        QVERIFY(!target->lastError()->hint.empty());
    }

    void skipsWhatAShellPrintsBeforeTheAgent()
    {
        auto target = fake("head -c 60000 /dev/zero | tr '\\0' 'x'; echo; printf 'trainyard-agent wrong\\n'",
                           helloReply(TRAINYARD_VERSION));
        AWAIT_EQUAL(target->state(), State::Ready);
    }

    void refusesAnAgentThatSpeaksAnotherProtocol()
    {
        auto newer = fake("", helloReply("9.9", kProtocolVersion + 1));
        AWAIT_EQUAL(newer->state(), State::Refused);
        QVERIFY2(newer->lastError()->message.find("9.9") != std::string::npos,
                 newer->lastError()->message.c_str());
        QVERIFY(newer->lastError()->hint.find("update Trainyard here") != std::string::npos);
        auto older = fake("", helloReply("0.0.1", kOldestProtocolVersion - 1));
        AWAIT_EQUAL(older->state(), State::Refused);
        QVERIFY(older->lastError()->hint.find("trainyard-agent") != std::string::npos);
    }

    void worksWithAnAgentOfAnotherVersionThatSpeaksTheSame()
    {
        auto target = fake("", helloReply("0.0.9"));
        AWAIT_EQUAL(target->state(), State::Ready);
        QCOMPARE(target->agent()->version, "0.0.9");
    }

    void doesNotTrustADamagedFrame()
    {
        QByteArray frame = helloReply(TRAINYARD_VERSION);
        frame[frame.size() - 2] = '#';
        auto target = fake("", frame);
        AWAIT_EQUAL(target->state(), State::Lost);
        QVERIFY(target->lastError()->message.find("damaged") != std::string::npos);
    }

    void noticesAnAgentThatFellSilent()
    {
        auto quick = options();
        quick.pingInterval = 100ms;
        quick.lostAfter = 500ms;
        auto target = fake("", helloReply(TRAINYARD_VERSION), quick);
        QList<State> states;
        connect(target.get(), &Target::stateChanged, this, [&](State state) { states << state; });
        AWAIT(states.contains(State::Lost));
        QCOMPARE(states.first(), State::Ready);
        QVERIFY(target->lastError()->message.find("no response") != std::string::npos);
    }

    void readsAFileOfAnySize()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath("manifest.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QByteArray bytes;
        for (int i = 0; bytes.size() < 1'400'000; ++i)
            bytes += QByteArray::number(i) + ' ';
        file.write(bytes);
        file.close();
        auto target = open();
        AWAIT_EQUAL(target->state(), State::Ready);
        std::optional<Result<QByteArray>> read;
        const auto keep = [&](const Result<QByteArray>& result) { read = result; };
        readWhole(*target, {{"op", "data-set"}, {"folder", folder.path()}}, this, keep);
        AWAIT(read.has_value());
        QCOMPARE(**read, bytes);
        read.reset();
        readWhole(*target, {{"op", "data-set"}, {"folder", "/nowhere"}}, this, keep);
        AWAIT(read.has_value());
        QCOMPARE(read->error().kind, ErrorKind::BadInput);
        QVERIFY(!read->error().hint.empty());
    }

    void checksThisMachine()
    {
        auto target = Target::create("localhost", options());
        HostCheck check(*target);
        QSignalSpy finished(&check, &HostCheck::finished);
        check.start();
        AWAIT_EQUAL(finished.size(), 1);
        const auto report = finished[0][0].value<HostReport>();
        QVERIFY(report.rows.size() > 8);
        QVERIFY(report.facts.cores > 0);
        const ClockReading& clock = report.facts.link.clock;
        QVERIFY(std::abs(clock.offsetMs) < 1000 + clock.latencyMs / 2);
    }

private:
    TargetOptions options() const
    {
        TargetOptions options;
        options.agentPath = kAgent;
        options.agentRoot = m_folder.path();
        return options;
    }
    std::unique_ptr<Target> open() const
    {
        auto target = Target::create("localhost", options());
        target->open();
        return target;
    }

    static QByteArray helloReply(const QString& version, int protocol = kProtocolVersion)
    {
        const QByteArray json = QJsonDocument(QJsonObject{{"id", 1},
                                                          {"ok", true},
                                                          {"protocol", protocol},
                                                          {"protocol_oldest", protocol},
                                                          {"version", version}})
                                    .toJson();
        return QByteArray::fromStdString(encodeMessage(json.toStdString()));
    }

    /// A shell script in the place of the agent: says `before`, greets, sends `reply` and then nothing.
    std::unique_ptr<Target> fake(const QByteArray& before, const QByteArray& reply,
                                 TargetOptions how = {}) const
    {
        const QString script = m_folder.filePath("fake.sh"), answer = m_folder.filePath("reply");
        const auto write = [](const QString& path, const QByteArray& content) {
            QFile file(path);
            if (file.open(QIODevice::WriteOnly | QIODevice::Truncate))
                file.write(content);
        };
        write(answer, reply);
        write(script, "#!/bin/sh\nread -r nonce\n" + before +
                          "\nprintf 'trainyard-agent %s\\n' \"$nonce\"\ncat '" + answer.toUtf8() +
                          "'\nexec cat > /dev/null\n");
        QFile::setPermissions(script, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        how.agentPath = script;
        auto target = Target::create("localhost", how);
        target->open();
        return target;
    }

    const QString kAgent = QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-agent");
    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestLocalTarget)
#include "tst_local_target.moc"
