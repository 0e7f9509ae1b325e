#include <csignal>

#include "engine/base/process.h"
#include "engine/records/fence.h"
#include "engine/records/flight_ring.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/run_requests.h"
#include "tests/auto/agent/file_crontab.h"
#include "tests/auto/agent/run_checks.h"
#include "tests/support/checkpoint/small_checkpoint.h"

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

/// For limits of time that a busy machine may break too: then the next attempt shows what is meant.
const RestartSpec kAsOftenAsItTakes{.limit = 100, .backoff = std::chrono::milliseconds(50)};

const RestartSpec kAfterReboot{.limit = 3, .backoff = std::chrono::milliseconds(50), .afterReboot = true};

/// The crontab that agents find which are started while it lives.
class CrontabInPath {
public:
    explicit CrontabInPath(const std::filesystem::path& folder) : m_crontab(folder)
    {
        qputenv("PATH", QByteArray::fromStdString(folder.string()) + ':' + m_before);
    }
    ~CrontabInPath() { qputenv("PATH", m_before); }
    CrontabInPath(const CrontabInPath&) = delete;
    CrontabInPath& operator=(const CrontabInPath&) = delete;

    std::string text() const { return m_crontab.text(); }

private:
    FileCrontab m_crontab;
    QByteArray m_before = qgetenv("PATH");
};

/// The supervisor was at work before this machine went down.
void seemRestarted(const RunFixture& run)
{
    auto supervisor = readSupervisor(run.folder()).value();
    supervisor.bootId = "an earlier one";
    QVERIFY(writeSupervisor(run.folder(), supervisor).ok());
}

/// What cron does when the machine has started, with the little that it gives; what is printed.
std::string boot(const RunFixture& run)
{
    const auto said = runCommand({"/bin/sh", run.root() / "on-boot"}, AgentClient::kPatience,
                                 {"PATH=/usr/bin:/bin", "HOME=" + run.root().string()});
    return said.ok() ? said->text : said.error().message;
}

} // namespace

/// Runs that their supervisor starts again: after a rank died or hangs, and after a reboot.
class TestAgentRestarts : public QObject {
    Q_OBJECT

private slots:
    void restartsWhatWasKilledFromTheBeginningOrTheCheckpoint_data()
    {
        QTest::addColumn<bool>("checkpoint");
        QTest::addColumn<QByteArray>("start");
        QTest::addRow("no checkpoint")
            << false << QByteArray("from step 0 again, because there is no checkpoint");
        QTest::addRow("checkpoint") << true << QByteArray("from the checkpoint of step 40");
    }
    void restartsWhatWasKilledFromTheBeginningOrTheCheckpoint()
    {
        QFETCH(bool, checkpoint);
        QFETCH(QByteArray, start);
        RunFixture run(1'000'000, 1, {.limit = 2, .backoff = std::chrono::milliseconds(50)});
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        if (checkpoint)
            QVERIFY(publishSmallCheckpoint(run.folder().checkpoints(), 40).ok());
        agent.call(run.launchRequest("crash"));
        const RunStatus status = run.waitForEnd();
        QCOMPARE(status.state, RunState::Failed);
        QCOMPARE(status.attempt, 3u);
        QVERIFY2(contains(status.reason, "was killed by signal 11") &&
                     contains(status.reason, "not restarted: 2 restarts produced no new checkpoint"),
                 status.reason.c_str());
        const auto said = run.events("restarting");
        QCOMPARE(said.size(), std::size_t(2));
        QVERIFY2(said[0].starts_with("restarting in 50 ms: rank 0 on localhost was killed by signal 11"),
                 said[0].c_str());
        QVERIFY2(contains(said[0], "; attempt 2 of at most 3 continues " + start.toStdString()),
                 said[0].c_str());
        QVERIFY2(said[1].starts_with("restarting in 100 ms"), said[1].c_str());
        QCOMPARE(run.history(), std::string("starting starting starting starting starting failed"));
        QCOMPARE(newestAttempt(run.folder().path()), 3u);
        QCOMPARE(run.liveProcesses(), std::size_t(0));
        // The desk goes on with the attempt after those that the supervisor made.
        QVERIFY(agent.call(run.launchRequest("train", 4)).value("started", false));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
    }

    void leavesTheStartToTheRanksWhereHostsKeepTheirOwnShards_data()
    {
        QTest::addColumn<bool>("isSpread");
        QTest::addRow("one folder") << false;
        QTest::addRow("a folder on each host") << true;
    }
    void leavesTheStartToTheRanksWhereHostsKeepTheirOwnShards()
    {
        QFETCH(bool, isSpread);
        RunFixture run;
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        QVERIFY(publishSmallCheckpoint(run.folder().checkpoints(), 40).ok());
        const auto checkpoint = run.folder().checkpoints() / "step-000000040";
        std::filesystem::resize_file(checkpoint / kManifestName, 30); // another host may have it whole
        if (isSpread)
            QVERIFY(writeFileAtomically(checkpoint / kHostName, "a\n").ok());
        QCOMPARE(agent.call(run.launchRequest("train")).value("started", false), isSpread);
        if (isSpread) {
            QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
            QCOMPARE(agent.call(kStop).value("clean", false), true);
        }
        QVERIFY(std::filesystem::exists(checkpoint));
    }

    void doesNotRestartWhatWouldFailAgain()
    {
        RunFixture run(1'000'000, 1, {.limit = 3, .backoff = std::chrono::milliseconds(50)});
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("fail"));
        QCOMPARE(run.waitForEnd().state, RunState::Failed);
        QCOMPARE(run.status().attempt, 1u);
        QVERIFY(run.events("restarting").empty());
    }

    void aNewCheckpointStartsTheCountAgain()
    {
        RunFixture run(1'000'000, 1, {.limit = 1, .backoff = std::chrono::milliseconds(50)});
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("train"));
        for (std::uint32_t attempt = 1; attempt <= 3; ++attempt) {
            QVERIFY(run.waitUntil(
                [&] { return run.status().attempt == attempt && run.status().state == RunState::Running; }));
            QVERIFY(publishSmallCheckpoint(run.folder().checkpoints(), 10 + attempt).ok());
            const auto supervisor = readSupervisor(run.folder());
            for (const ProcessId& worker : descendantsOf(static_cast<pid_t>(supervisor->pid)))
                QVERIFY(signalProcess(worker, SIGKILL));
        }
        QVERIFY(run.waitUntil([&] { return run.status().attempt == 4; }));
        QCOMPARE(run.events("restarting").size(), std::size_t(3));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QCOMPARE(run.status().state, RunState::Stopped);
    }

    void stopEndsAlsoTheWaitForARestart()
    {
        RunFixture run(1'000'000, 1, {.limit = 3, .backoff = std::chrono::minutes(5)});
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("crash"));
        QVERIFY(run.waitUntil([&] { return run.events("restarting").size() == 1; }));
        QCOMPARE(agent.call({{"op", "runs"}})["runs"][0].value("live", false), true);
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QCOMPARE(run.status().state, RunState::Stopped);
        QCOMPARE(run.status().reason, std::string("stopped by request before it was restarted"));
        QCOMPARE(run.status().attempt, 2u);
        QVERIFY(agent.call(run.launchRequest("train", 3)).value("started", false));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
    }

    void anOrderlyRebootIsNoStop()
    {
        RunFixture run(1'000'000, 1, kAfterReboot);
        const CrontabInPath crontab(run.root());
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("train"));
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        QVERIFY(contains(crontab.text(), "on-boot"));
        const auto supervisor = readSupervisor(run.folder());
        QCOMPARE(::kill(static_cast<pid_t>(supervisor->pid), SIGTERM), 0);
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        QCOMPARE(run.status().state, RunState::Stopping);
        QCOMPARE(run.liveProcesses(), std::size_t(0));
        QCOMPARE(run.events("interrupted").size(), std::size_t(1));
        QVERIFY(contains(crontab.text(), "on-boot"));
        seemRestarted(run);
        QCOMPARE(boot(run), RunFixture::name() + "\n");
        QVERIFY(run.waitUntil(
            [&] { return run.status().attempt == 2 && run.status().state == RunState::Running; }));
        QVERIFY(contains(crontab.text(), "on-boot"));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QVERIFY(run.waitUntil([&] { return crontab.text().empty(); }));
    }

    void theLineInTheCrontabGoesWithThisHostsRuns()
    {
        RunFixture run(1'000'000, 1, kAfterReboot);
        const CrontabInPath crontab(run.root());
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        json other = run.createRequest(); // at work on a host that shares the folder
        other["run"] = run.name() + "-other";
        agent.call(other);
        const RunFolder otherFolder(run.root(), other.value("run", ""));
        QVERIFY(writeSupervisor(otherFolder, {1, 1, 1, "another-host", "its boot"}).ok());
        QVERIFY(writeStatus(otherFolder, {RunState::Running, {}, 5, 9, 1}, Durability::Durable).ok());
        agent.call(run.launchRequest("train"));
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        QVERIFY(contains(crontab.text(), "on-boot"));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QVERIFY(run.waitUntil([&] { return crontab.text().empty(); }));
        QVERIFY(std::filesystem::exists(run.root() / "on-boot"));
    }

    void aRebootDuringTheWaitForHostsIsNoStopEither()
    {
        RunFixture run(1'000'000, 1, kAfterReboot);
        const CrontabInPath crontab(run.root());
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        const std::filesystem::path shell = run.root() / "shell";
        QVERIFY(writeFileAtomically(shell, "#!/bin/sh\nexec sleep 15\n").ok());
        std::filesystem::permissions(shell, std::filesystem::perms::owner_all);
        json request = run.launchRequest("train");
        request["nodes"][1] = {{"host", "slow"}, {"slots", 1}};
        request["rsh"] = shell;
        agent.call(request);
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        QCOMPARE(::kill(static_cast<pid_t>(readSupervisor(run.folder())->pid), SIGKILL), 0);
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        seemRestarted(run);
        QCOMPARE(boot(run), run.name() + "\n");
        QVERIFY(run.waitUntil([&] { return isSupervised(run.folder()); }));
        const auto waiting = readSupervisor(run.folder());
        QCOMPARE(waiting->attempt, 2u);
        QCOMPARE(::kill(static_cast<pid_t>(waiting->pid), SIGTERM), 0);
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        QVERIFY(!isFinal(run.status().state));
        seemRestarted(run);
        QCOMPARE(boot(run), run.name() + "\n");
        QCOMPARE(readSupervisor(run.folder())->attempt, 3u);
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QVERIFY(run.waitUntil([&] { return crontab.text().empty(); }));
    }

    void tellsWhatInterruptedARunThatWasNotRevived()
    {
        RunFixture run(1'000'000, 1, kAfterReboot);
        const CrontabInPath crontab(run.root());
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("train"));
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        const auto supervisor = readSupervisor(run.folder());
        QCOMPARE(::kill(static_cast<pid_t>(supervisor->pid), SIGTERM), 0);
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        const json listed = agent.call({{"op", "runs"}})["runs"][0];
        QCOMPARE(listed.value("state", ""), std::string("failed"));
        QVERIFY(contains(listed.value("reason", ""), "asked to end (SIGTERM)"));
        QVERIFY(contains(listed.value("reason", ""), hostName() + " was not restarted: resume the run"));
    }

    void aRequestToEndOutlivesAReboot()
    {
        RunFixture run(1'000'000, 1, kAfterReboot);
        const CrontabInPath crontab(run.root());
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("stubborn"));
        const auto supervisor = static_cast<pid_t>(readSupervisor(run.folder())->pid);
        QVERIFY(run.waitUntil([&] { return ignoringTerm(supervisor) == 1; }));
        QVERIFY(askToEnd(run.folder(), {std::chrono::hours(1), true}).ok());
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Stopping; }));
        QCOMPARE(::kill(supervisor, SIGKILL), 0); // as a power cut does
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        seemRestarted(run);
        QVERIFY(contains(boot(run), "it was asked to end before this host was restarted"));
        QCOMPARE(run.status().state, RunState::Stopped);
        QVERIFY2(run.status().reason.starts_with("stopped by request; "), run.status().reason.c_str());
        QCOMPARE(run.status().attempt, 1u);
        QVERIFY(crontab.text().empty());
        QVERIFY(!isAskedToEnd(run.folder()));
    }

    void givesUpARunThatHangs()
    {
        RunFixture run(1'000'000, 1, kAsOftenAsItTakes);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        json request = run.launchRequest("train");
        request["stall_ms"] = 2000;
        const auto pid = static_cast<pid_t>(agent.call(request).value("pid", 0));
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        for (const ProcessId& worker : descendantsOf(pid))
            QVERIFY(signalProcess(worker, SIGSTOP));
        QVERIFY(run.waitUntil([&] { return run.status().attempt >= 2; }));
        QVERIFY(!run.events("given-up").empty());
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        QCOMPARE(agent.call(kStop).value("clean", false), true);
    }

    /// As on a full disk, which keeps the steps in the worker's memory. Heard by its journal alone, no
    /// attempt would get beyond its first second.
    void isPatientWithARunThatCannotWriteItsSteps()
    {
        RunFixture run(1'000'000, 1, kAsOftenAsItTakes);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        json request = run.launchRequest("unheard");
        request["stall_ms"] = 1000;
        agent.call(request);
        QVERIFY(run.waitUntil([&] {
            const auto ring = readFlightRing(run.folder().rankRing(0));
            return ring.ok() && ring->step >= 200; // of 20 ms each
        }));
        QCOMPARE(run.status().state, RunState::Running);
        QCOMPARE(agent.call(kStop).value("clean", false), true);
    }

    void isPatientWithALongCheckpoint()
    {
        RunFixture run(1'000'000, 1, {.limit = 1, .backoff = std::chrono::milliseconds(50)});
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        json request = run.launchRequest("saving");
        request["stall_ms"] = 3000;
        agent.call(request);
        QVERIFY(run.waitUntil([&] { return run.status().step == 3; }));
        const std::size_t before = run.heartbeats();
        QVERIFY(run.waitUntil([&] { return run.heartbeats() > before + 2; })); // one in two seconds
        QVERIFY(writeFileAtomically(run.folder().control() / "saved", {}).ok());
        QVERIFY(run.waitUntil([&] { return run.status().step > 3; }));
        QCOMPARE(run.status().attempt, 1u);
        QCOMPARE(agent.call(kStop).value("clean", false), true);
        QVERIFY(run.events("given-up").empty());
    }
};

QTEST_GUILESS_MAIN(TestAgentRestarts)
#include "tst_agent_restarts.moc"
