#include <csignal>
#include <fstream>
#include <functional>

#include <QDeadlineTimer>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/units.h"
#include "remote/target/target.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/file_content.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace trainyard::test;
using namespace std::chrono_literals;

namespace {

constexpr quint32 kSeed = 20'261'122;

/// At which a desk is killed.
enum class Moment { Start, Connected, Writes, Wrote };

int envNumber(const char* name, int otherwise)
{
    const int value = qEnvironmentVariableIntValue(name);
    return value > 0 ? value : otherwise;
}

std::uint64_t residentBytes(qint64 pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * 4096;
}

/// The only child of a process.
qint64 childOf(qint64 pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(pid) + "/children");
    qint64 child = 0;
    file >> child;
    return child;
}

qint64 sizeOf(const QString& path)
{
    return QFile(path).size();
}

/// AWAIT looks every 50 ms, in which a desk has copied everything.
void awaitClosely(const std::function<bool()>& moment)
{
    for (const QDeadlineTimer patience(kPatienceMs); !moment() && !patience.hasExpired();)
        QTest::qWait(1);
    QVERIFY(moment());
}

} // namespace

/// What may happen to the desk while a run goes on. The desk is the built `trainyard`; this process is the
/// run.
class TestDeskFaults : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_cli = std::make_unique<CliFixture>();
        AgentClient agent(m_cli->path("home").toStdString());
        const QByteArray request = QJsonDocument(createRunRequest(m_id)).toJson();
        QVERIFY(agent.call(nlohmann::json::parse(request.toStdString())).value("created", false));
        m_run = std::make_unique<FedRun>(runFolder());
        m_run->state(RunState::Running);
        m_run->steps(1);
    }
    void cleanup()
    {
        m_run.reset();
        m_cli.reset();
    }

    void f38_killedDesk_data()
    {
        QTest::addColumn<Moment>("moment");
        QTest::addRow("as it starts") << Moment::Start;
        QTest::addRow("as it connects") << Moment::Connected;
        QTest::addRow("as it begins to write the mirror") << Moment::Writes;
        QTest::addRow("somewhere in the mirror") << Moment::Wrote;
    }
    void f38_killedDesk()
    {
        QFETCH(Moment, moment);
        FaultReport report(38, QString("kill -9 of the desk %1").arg(QTest::currentDataTag()),
                           "a restart goes on; nothing lost, doubled or half to be seen");
        const int rounds = envNumber("TRAINYARD_FAULT_ROUNDS", 20) / 4;
        QRandomGenerator random(kSeed);
        m_run->feedEvery(1ms);
        int whileCopying = 0, torn = 0;
        for (int round = 0; round < rounds; ++round) {
            m_run->steps(2000); // so that there is something to copy
            const qint64 before = sizeOf(mirror("steps")), missing = sizeOf(original("steps")) - before;
            const auto desk = attach();
            awaitClosely([&, until = before + random.bounded(missing)] {
                return hasCome(moment, *desk, before, until);
            });
            QVERIFY(desk->state() == QProcess::Running);
            desk->kill();
            QVERIFY(desk->waitForFinished(kPatienceMs));
            const qint64 left = sizeOf(mirror("steps"));
            whileCopying += left > before && left < sizeOf(original("steps")) ? 1 : 0;
            torn += checkMirror() ? 1 : 0;
            if (QTest::currentTestFailed())
                return;
        }
        report.injected(QString("%1 kills (seed %2), %3 with a part of the mirror written")
                            .arg(rounds)
                            .arg(kSeed)
                            .arg(whileCopying));
        m_run->pause();
        m_run->state(RunState::Finished);
        const auto desk = attach();
        QVERIFY(desk->waitForFinished(kPatienceMs));
        QCOMPARE(desk->exitCode(), 0);
        QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
        QCOMPARE(contentOf(mirror("run")), contentOf(original("run")));
        report.observed(
            QString("%1 torn mirrors were cut; at the end %2 steps, byte for byte those of the host")
                .arg(torn)
                .arg(m_run->written()));
    }

    void f45_spoiledMirror()
    {
        FaultReport report(45,
                           "Truncated, flipped and overwritten mirrors, a damaged journal, damaged settings",
                           "found by checksum; repaired, or refused with the file's name");
        m_run->steps(5000);
        m_run->state(RunState::Finished);
        QVERIFY(attach()->waitForFinished(kPatienceMs));
        QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
        QRandomGenerator random(kSeed);
        for (int round = 0; round < 3; ++round) {
            spoil(mirror("steps"), round, random);
            QVERIFY(contentOf(mirror("steps")) != contentOf(original("steps")));
            const auto desk = attach();
            QVERIFY(desk->waitForFinished(kPatienceMs));
            QCOMPARE(desk->exitCode(), 0);
            QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
        }
        report.injected("mirrors truncated, with a flipped bit, with 4 KiB copied elsewhere");
        report.observed("each mirror was the host's journal again after one attach");
        damagedJournal(report, random);
        damagedSettings(report);
    }

    void f50_suspendedDesk()
    {
        FaultReport report(50, "The desk is stopped (SIGSTOP) and goes on later",
                           "the run and the agent do not notice; it catches up without a break");
        const int seconds = envNumber("TRAINYARD_FAULT_SECONDS", 18);
        const auto desk = attach();
        AWAIT(QFile(mirror("steps")).size() > 0);
        AWAIT_EQUAL(QFile(mirror("steps")).size(), QFile(original("steps")).size());
        const qint64 agent = childOf(desk->processId());
        QVERIFY(agent > 0);
        const auto agentBefore = residentBytes(agent), deskBefore = residentBytes(desk->processId());
        ::kill(static_cast<pid_t>(desk->processId()), SIGSTOP);
        const qint64 mirrored = QFile(mirror("steps")).size();
        QElapsedTimer stopped;
        stopped.start();
        qint64 slowestMs = 0;
        while (stopped.elapsed() < seconds * 1000) {
            QElapsedTimer writing;
            writing.start();
            m_run->steps(1000);
            slowestMs = std::max(slowestMs, writing.elapsed());
            QTest::qWait(100);
        }
        QCOMPARE(QFile(mirror("steps")).size(), mirrored);
        const qint64 behind = QFile(original("steps")).size() - mirrored;
        report.injected(QString("stopped for %1 s, %2 MiB behind").arg(seconds).arg(behind / qint64{kMiB}));
        const auto agentAfter = residentBytes(agent);
        QVERIFY2(agentAfter < agentBefore + 8 * kMiB, qPrintable(QString::number(agentAfter)));
        m_run->state(RunState::Finished);
        QElapsedTimer resumed;
        resumed.start();
        ::kill(static_cast<pid_t>(desk->processId()), SIGCONT);
        AWAIT_EQUAL(QFile(mirror("steps")).size(), QFile(original("steps")).size());
        const qint64 caughtUp = resumed.elapsed();
        QVERIFY(desk->waitForFinished(kPatienceMs));
        QCOMPARE(desk->exitCode(), 0);
        QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
        report.observed(
            QString("caught up in %1 ms; the agent grew by %2 KiB, the desk had %3 MiB; 1,000 steps took the "
                    "run at most %4 ms")
                .arg(caughtUp)
                .arg((agentAfter - std::min(agentAfter, agentBefore)) / kKiB)
                .arg(deskBefore / kMiB)
                .arg(slowestMs));
    }

    void f51_otherVersions()
    {
        FaultReport report(51, "An old agent with a new desk, and the reverse",
                           "told clearly which side is to be renewed; the live run is not disturbed");
        m_run->feedEvery(5ms);
        for (const auto& [how, whom] :
             {std::pair{"old", "trainyard-agent"}, std::pair{"new", "update Trainyard here"}}) {
            const QString home = m_cli->path(how);
            QVERIFY(QDir().mkpath(home));
            m_cli->write(QString(how) + "/hostile", how);
            TargetOptions options;
            options.agentPath = QStringLiteral(TRAINYARD_TESTS_DIR "/hostile_agent");
            options.agentRoot = home;
            const auto target = Target::create("localhost", options);
            target->open();
            AWAIT_EQUAL(target->state(), Target::State::Refused);
            report.injected(QString("an agent that speaks a protocol %1er than ours").arg(how));
            const QString told = QString::fromStdString(target->lastError()->text());
            QVERIFY2(told.contains("speaks protocol") && told.contains(whom), qPrintable(told));
            report.observed(told);
        }
        const int before = m_run->written();
        AWAIT(m_run->written() > before + 20);
        m_run->pause();
        m_run->state(RunState::Finished);
        QVERIFY(attach()->waitForFinished(kPatienceMs));
        QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
    }

private:
    std::unique_ptr<QProcess> attach() const { return m_cli->start({"attach", m_id, "--host", "localhost"}); }
    QString runFolder() const { return m_cli->path("home/runs/" + m_id); }
    QString original(const QString& stream) const { return runFolder() + "/journal/" + stream; }
    QString deskFile(const QString& run, const QString& stream) const
    {
        return m_cli->path("desk/runs/" + run + "/journal/" + stream);
    }
    QString mirror(const QString& stream) const { return deskFile(m_id, stream); }

    bool hasCome(Moment moment, const QProcess& desk, qint64 before, qint64 until) const
    {
        switch (moment) {
        case Moment::Start:
            return desk.state() == QProcess::Running;
        case Moment::Connected:
            return childOf(desk.processId()) > 0;
        case Moment::Writes:
            return sizeOf(mirror("steps")) > before;
        case Moment::Wrote:
            return sizeOf(mirror("steps")) >= until;
        }
        return false;
    }

    /// What a killed desk leaves is a beginning of the host's journal, and its notes are whole. True when the
    /// mirror's last record is torn.
    bool checkMirror() const
    {
        const QByteArray left = contentOf(mirror("steps"));
        if (!contentOf(original("steps")).startsWith(left))
            QTest::qFail("the mirror is not a beginning of the journal", __FILE__, __LINE__);
        const QString notes = m_cli->path("desk/runs/" + m_id + "/host.json");
        if (QFile::exists(notes) && !QJsonDocument::fromJson(contentOf(notes)).isObject())
            QTest::qFail("host.json is half written", __FILE__, __LINE__);
        const auto end = scanJournal(mirror("steps").toStdString(), [](std::vector<Record>) {});
        return end.ok() && end->validBytes < std::uint64_t(left.size());
    }

    static void spoil(const QString& path, int how, QRandomGenerator& random)
    {
        QByteArray bytes = contentOf(path);
        const qsizetype at = random.bounded(int(bytes.size() - 8192));
        if (how == 0)
            bytes.truncate(at);
        else if (how == 1)
            bytes[at] = char(bytes[at] ^ 0x10);
        else
            bytes.replace(at, 4096, bytes.mid(at + 4096, 4096));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly))
            file.write(bytes);
    }

    /// On the host: following ends with the place; the next writer goes on behind it.
    void damagedJournal(FaultReport& report, QRandomGenerator& random)
    {
        m_run.reset();
        spoil(original("steps"), 1, random);
        QVERIFY(QFile::remove(mirror("steps")));
        report.injected("a bit flipped in the host's journal");
        auto desk = attach();
        QByteArray said;
        AWAIT((said += desk->readAllStandardError()).contains("damaged at byte"));
        desk->kill();
        desk->waitForFinished(kPatienceMs);
        m_run = std::make_unique<FedRun>(runFolder());
        m_run->resume();
        m_run->state(RunState::Running);
        m_run->steps(10);
        m_run->state(RunState::Finished);
        desk = attach();
        QVERIFY(desk->waitForFinished(kPatienceMs));
        QCOMPARE(desk->exitCode(), 0);
        QCOMPARE(contentOf(mirror("steps")), contentOf(original("steps")));
        QVERIFY(QFile::exists(original("steps.damaged")));
        report.observed("the next attempt kept what followed as steps.damaged and went on");
    }

    void damagedSettings(FaultReport& report)
    {
        m_cli->write("desk/runs/" + m_id + "/host.json", "{\"run\": \"");
        report.injected("host.json cut in the middle");
        const CliResult stopped = m_cli->run({"stop", m_id});
        QCOMPARE(stopped.status, 2);
        QVERIFY2(stopped.err.contains("host.json is damaged"), qPrintable(stopped.err));
        const auto desk = attach(); // as the message says
        QVERIFY(desk->waitForFinished(kPatienceMs));
        QCOMPARE(desk->exitCode(), 0);
        report.observed("refused with the file's name; attaching again put it right");
    }

    const QString m_id = "20261122T091505Z-desk-0001";
    std::unique_ptr<CliFixture> m_cli;
    std::unique_ptr<FedRun> m_run;
};

QTEST_GUILESS_MAIN(TestDeskFaults)
#include "tst_desk_faults.moc"
