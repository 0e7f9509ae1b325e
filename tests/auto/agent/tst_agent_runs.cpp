#include <csignal>
#include <future>
#include <set>

#include "engine/base/lock_file.h"
#include "remote/agent/host/detach.h"
#include "remote/agent/host/process_table.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/supervise/launch_request.h"
#include "tests/auto/agent/run_checks.h"

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

std::string errorOf(const json& reply)
{
    return reply.is_object() && reply.contains("error")
               ? reply["error"].value("kind", "") + ": " + reply["error"].value("message", "")
               : "";
}

} // namespace

/// One run from its making to its end, with a worker that behaves as the test tells it.
class TestAgentRuns : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_run = std::make_unique<RunFixture>();
        m_agent = std::make_unique<AgentClient>(m_run->root());
    }
    void cleanup()
    {
        m_agent.reset();
        m_run.reset();
    }

    void makesARunOnceAndOnlyOnce()
    {
        const json created = m_agent->call(m_run->createRequest());
        QVERIFY2(created.value("created", false), created.dump().c_str());
        QCOMPARE(m_run->status().state, RunState::Pending);
        QCOMPARE(m_run->status().steps, 1'000'000);
        QCOMPARE(m_agent->call(m_run->createRequest()).value("created", true), false);
        json other = m_run->createRequest();
        other["spec"] = other["spec"].get<std::string>() + "\n";
        QVERIFY(contains(errorOf(m_agent->call(other)), "refused: another run"));
    }

    void makesNothingOfAWrongSpecification()
    {
        json request = m_run->createRequest();
        request["spec"] = R"({"trainyard":1,"launch":{"stepz":3}})";
        const std::string error = errorOf(m_agent->call(request));
        QVERIFY2(contains(error, "bad-input") && contains(error, "stepz"), error.c_str());
        QVERIFY(!m_run->folder().exists());
        QVERIFY(!std::filesystem::exists(m_run->root() / "runs"));
    }

    void finishesAfterTheLastStep()
    {
        RunFixture run(5);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        const json launched = agent.call(run.launchRequest("train"));
        QVERIFY2(launched.value("started", false), launched.dump().c_str());
        QCOMPARE(run.waitForEnd().state, RunState::Finished);
        QCOMPARE(run.status().step, 5);
        QCOMPARE(run.history(), std::string("starting running finished"));
        QCOMPARE(run.events("attempt-started").size(), std::size_t(1));
        QCOMPARE(run.status().reason, std::string());
    }

    void saysWhyItFinishedBeforeTheLastStep()
    {
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest("early"));
        QCOMPARE(m_run->waitForEnd().state, RunState::Finished);
        QCOMPARE(m_run->status().step, 3);
        QCOMPARE(m_run->status().reason,
                 std::string("held-out loss 2 at step 3 reaches evaluation.target 2.5"));
    }

    void leavesTheRequestForACheckpointWhereTheWorkersLook()
    {
        QVERIFY(contains(errorOf(m_agent->call({{"op", "checkpoint"}, {"run", RunFixture::name()}})),
                         "bad-input"));
        m_agent->call(m_run->createRequest());
        QVERIFY(contains(errorOf(m_agent->call({{"op", "checkpoint"}, {"run", RunFixture::name()}})),
                         "not running"));
        m_agent->call(m_run->launchRequest("stubborn"));
        const json asked = m_agent->call({{"op", "checkpoint"}, {"run", RunFixture::name()}});
        QVERIFY2(asked.value("asked", false), asked.dump().c_str());
        const auto request = m_run->folder().checkpointRequest();
        QVERIFY(std::filesystem::exists(request));
        m_agent->call({{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 500}});
        QVERIFY(!std::filesystem::exists(request)); // nobody served it: it is not left for the next attempt
    }

    void outlivesTheAgentThatLaunchedIt()
    {
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest("train"));
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        m_agent->kill();
        const auto step = m_run->status().step;
        QVERIFY(m_run->waitUntil([&] { return m_run->status().step > step + 50; }));
        m_agent = std::make_unique<AgentClient>(m_run->root());
        const json runs = m_agent->call({{"op", "runs"}})["runs"];
        QCOMPARE(runs.size(), std::size_t(1));
        QCOMPARE(runs[0].value("state", ""), std::string("running"));
        QCOMPARE(runs[0].value("live", false), true);
        QCOMPARE(runs[0].value("kind", ""), std::string("train"));
    }

    void saysWhyAWorkerFailed_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<QString>("reason");
        QTest::addRow("exit status")
            << "fail"
            << "rank 0 on localhost ended with status 5: the loss is not finite at step 3";
        QTest::addRow("signal") << "crash"
                                << "rank 0 on localhost was killed by signal 11 (Segmentation fault)";
    }
    void saysWhyAWorkerFailed()
    {
        QFETCH(QString, behaviour);
        QFETCH(QString, reason);
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest(behaviour.toStdString()));
        const RunStatus status = m_run->waitForEnd();
        QCOMPARE(status.state, RunState::Failed);
        QCOMPARE(QString::fromStdString(status.reason), reason);
        QCOMPARE(m_run->events("rank-died").size(), std::size_t(1));
    }

    void launchTellsWhatIsWrong_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("error");
        QTest::addRow("no nodes") << QByteArray(R"({"nodes":[]})") << QByteArray("bad-input: nodes");
        QTest::addRow("host is an option")
            << QByteArray(R"({"nodes":[{"host":"-oProxyCommand=x"}]})") << QByteArray("bad-input: nodes");
        QTest::addRow("slots beyond an int") << QByteArray(R"({"nodes":[{"host":"a","slots":4294967297}]})")
                                             << QByteArray("bad-input: \"slots\" is 4294967297");
        QTest::addRow("half a slot") << QByteArray(R"({"nodes":[{"host":"a","slots":1.5}]})")
                                     << QByteArray("bad-input: \"slots\" is 1.5");
        QTest::addRow("no program") << QByteArray(R"({"programs":"/nowhere"})")
                                    << QByteArray("refused: there is no program /nowhere");
        QTest::addRow("both") << QByteArray(R"({"bundle":"x"})") << QByteArray("bad-input: give either");
        QTest::addRow("rsh with a shell")
            << QByteArray(R"({"rsh":"ssh; rm"})") << QByteArray("bad-input: rsh");
        QTest::addRow("forbidden variable")
            << QByteArray(R"({"environment":{"LD_PRELOAD":"x"}})") << QByteArray("bad-input: environment");
        QTest::addRow("marker") << QByteArray(R"({"environment":{"TRAINYARD_RUN":"x"}})")
                                << QByteArray("bad-input: environment");
        QTest::addRow("attempt 2 first")
            << QByteArray(R"({"attempt":2})") << QByteArray("bad-input: attempt 2");
        QTest::addRow("other root") << QByteArray(R"({"nodes":[{"host":"a","root":"/elsewhere"}]})")
                                    << QByteArray("refused: the agent's folder");
    }
    void launchTellsWhatIsWrong()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, error);
        m_agent->call(m_run->createRequest());
        json request = m_run->launchRequest("train");
        request.update(json::parse(change.toStdString()));
        const std::string found = errorOf(m_agent->call(request));
        QVERIFY2(contains(found, error.toStdString()), found.c_str());
        QCOMPARE(m_run->liveProcesses(), std::size_t(0));
    }

    void startsInstalledProgramsOnlyForALocalClient()
    {
        AgentClient remote(m_run->root(), {});
        remote.call(m_run->createRequest());
        QVERIFY(contains(errorOf(remote.call(m_run->launchRequest("train"))), "refused"));
    }

    void launchingAnAttemptTwiceStartsItOnce()
    {
        m_agent->call(m_run->createRequest());
        const json first = m_agent->call(m_run->launchRequest("train"));
        const json second = m_agent->call(m_run->launchRequest("train"));
        QCOMPARE(second.value("started", true), false);
        QCOMPARE(second.value("pid", 0), first.value("pid", 1));
        QVERIFY(contains(errorOf(m_agent->call(m_run->launchRequest("train", 2))), "refused: attempt 1"));
    }

    /// As two agents do that were asked at once: the second supervisor comes when the first has gone.
    void anAttemptThatHasEndedIsNotBegunAgain()
    {
        RunFixture run(1);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest("train"));
        QCOMPARE(run.waitForEnd().state, RunState::Finished);
        QVERIFY(run.waitUntil([&] { return !isSupervised(run.folder()); }));
        const auto second = startDetached({QStringLiteral(TRAINYARD_AGENT).toStdString(), "supervise",
                                           "--run-dir", run.folder().path(), "--attempt", "1"});
        QVERIFY(!second.ok());
        QVERIFY2(contains(second.error().message,
                          "attempt 1 of the run " + RunFixture::name() + " has already been started"),
                 second.error().message.c_str());
        QCOMPARE(run.history(), std::string("starting running finished"));
    }

    void launchesAtOnceStartOneSupervisor()
    {
        m_agent->call(m_run->createRequest());
        std::vector<std::unique_ptr<AgentClient>> desks;
        for (int i = 0; i < 4; ++i)
            desks.push_back(std::make_unique<AgentClient>(m_run->root()));
        std::vector<std::future<json>> replies;
        for (auto& desk : desks)
            replies.push_back(
                std::async(std::launch::async, [&] { return desk->call(m_run->launchRequest("train")); }));
        int started = 0;
        std::set<int> supervisors;
        for (auto& future : replies) {
            const json reply = future.get();
            QVERIFY2(reply.value("ok", false), reply.dump().c_str());
            started += reply.value("started", false) ? 1 : 0;
            supervisors.insert(reply.value("pid", 0));
        }
        QCOMPARE(started, 1);
        QCOMPARE(supervisors.size(), std::size_t(1));
        QCOMPARE(m_agent->call(kStop).value("clean", false), true);
    }

    void stopsAfterTheStep()
    {
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest("train"));
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        const json stopped = m_agent->call(kStop);
        QVERIFY2(stopped.value("clean", false) && stopped.value("killed", -1) == 0, stopped.dump().c_str());
        QCOMPARE(m_run->status().state, RunState::Stopped);
        QCOMPARE(m_run->history(), std::string("starting running stopping stopped"));
        QVERIFY(!std::filesystem::exists(m_run->folder().stopRequest()));
        const json again = m_agent->call({{"op", "stop"}, {"run", RunFixture::name()}});
        QVERIFY2(again.value("clean", false) && again.value("killed", -1) == 0, again.dump().c_str());
    }

    void aStopThatMeetsAStartIsNotLost()
    {
        m_agent->call(m_run->createRequest());
        const RunFolder folder = m_run->folder();
        QVERIFY(makeFolder(folder.attempts()).ok());
        QVERIFY(writeFileAtomically(folder.launchFile(1), m_run->launchRequest("train").dump()).ok());
        auto launching =
            std::make_optional(LockFile::acquire(folder.launchLock(), AgentClient::kPatience).value());
        auto stopped = std::async(std::launch::async, [this] { return m_agent->call(kStop); });
        const auto started = startDetached({QStringLiteral(TRAINYARD_AGENT).toStdString(), "supervise",
                                            "--run-dir", folder.path(), "--attempt", "1"});
        launching.reset();
        QVERIFY(started.ok());
        QCOMPARE(stopped.get().value("clean", false), true);
        QCOMPARE(m_run->status().state, RunState::Stopped);
        QVERIFY(!isAskedToEnd(folder));
    }

    void stopLeavesNoProcess_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<bool>("checkpoint");
        QTest::addColumn<int>("killed");
        QTest::addRow("ignores everything") << "stubborn" << true << 1;
        QTest::addRow("without a grace period") << "stubborn" << false << 1;
        QTest::addRow("grandchild in another session") << "family" << true << 1;
        QTest::addRow("grandchild without environment") << "disguised" << true << 1;
    }
    void stopLeavesNoProcess()
    {
        QFETCH(QString, behaviour);
        QFETCH(bool, checkpoint);
        QFETCH(int, killed);
        m_agent->call(m_run->createRequest());
        const json launched = m_agent->call(m_run->launchRequest(behaviour.toStdString()));
        const auto supervisor = static_cast<pid_t>(launched.value("pid", 0));
        QVERIFY2(supervisor > 1, launched.dump().c_str());
        const std::size_t expected = behaviour == "stubborn" ? 1 : 2;
        QVERIFY(m_run->waitUntil(
            [&] { return descendantsOf(supervisor).size() == expected && ignoringTerm(supervisor) == 1; }));
        const auto processes = descendantsOf(supervisor);
        const json reply = m_agent->call(
            {{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 500}, {"checkpoint", checkpoint}});
        QCOMPARE(reply.value("clean", false), true);
        QCOMPARE(reply.value("killed", -1), killed);
        for (const ProcessId& process : processes)
            QVERIFY(!isAlive(process));
        QCOMPARE(m_run->status().state, RunState::Stopped);
    }

    void stopEndsRanksOnANodeWithoutASupervisor()
    {
        m_agent->call(m_run->createRequest());
        ::setenv("TRAINYARD_RUN", RunFixture::name().c_str(), 1);
        const pid_t rank = ::fork();
        if (rank == 0) {
            ::execl("/bin/sleep", "sleep", "300", nullptr);
            ::_exit(127);
        }
        ::unsetenv("TRAINYARD_RUN");
        QVERIFY(m_run->waitUntil([this] { return m_run->liveProcesses() == 1; }));
        ::signal(SIGCHLD, SIG_IGN); // nobody waits for it: it must not stay as a zombie
        QCOMPARE(m_agent->call({{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 100}})
                     .value("clean", false),
                 true);
        ::signal(SIGCHLD, SIG_DFL);
        QCOMPARE(m_run->liveProcesses(), std::size_t(0));
    }

    void noticesThatTheSupervisorDied_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<int>("killed");
        QTest::addRow("worker ends with it") << "train" << 0;
        QTest::addRow("worker stays") << "stubborn" << 1;
    }
    void noticesThatTheSupervisorDied()
    {
        QFETCH(QString, behaviour);
        QFETCH(int, killed);
        m_agent->call(m_run->createRequest());
        const json launched = m_agent->call(m_run->launchRequest(behaviour.toStdString()));
        const auto supervisor = static_cast<pid_t>(launched.value("pid", 0));
        QVERIFY2(supervisor > 1, launched.dump().c_str());
        QVERIFY(m_run->waitUntil([&] {
            return m_run->liveProcesses() == 1 &&
                   ignoringTerm(supervisor) == static_cast<std::size_t>(killed);
        }));
        ::kill(supervisor, SIGKILL);
        QVERIFY(m_run->waitUntil([this] { return !isSupervised(m_run->folder()); }));
        const json run = m_agent->call({{"op", "runs"}})["runs"][0];
        QCOMPARE(run.value("state", ""), std::string("failed"));
        QCOMPARE(run.value("live", true), false);
        QVERIFY(contains(run.value("reason", ""), "the supervisor on"));
        QCOMPARE(m_run->status().killed, killed);
        QCOMPARE(m_run->liveProcesses(), std::size_t(0));
        QCOMPARE(m_run->events("supervisor-died").size(), std::size_t(1));
        m_agent->call({{"op", "runs"}});
        QCOMPARE(m_run->events("supervisor-died").size(), std::size_t(1)); // told once
    }

    void resumesWithTheNextAttempt()
    {
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest("fail"));
        QCOMPARE(m_run->waitForEnd().state, RunState::Failed);
        const json second = m_agent->call(m_run->launchRequest("train", 2));
        QVERIFY2(second.value("started", false), second.dump().c_str());
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        QCOMPARE(m_run->status().attempt, 2u);
        QCOMPARE(m_agent->call(kStop).value("clean", false), true);
        QCOMPARE(m_run->history(), std::string("starting failed starting running stopping stopped"));
    }

    void goesOnWithTheLearningRateThatWasAskedForLast()
    {
        m_agent->call(m_run->createRequest());
        json request = m_run->launchRequest("fail");
        request["learning_rate"] = 0.25;
        m_agent->call(request);
        QCOMPARE(m_run->waitForEnd().state, RunState::Failed);
        m_agent->call(m_run->launchRequest("train", 2)); // names none
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        QVERIFY(contains(m_run->events("attempt-started").back(), "learning rate 0.25"));
        const auto file = readFile(m_run->folder().launchFile(2));
        QCOMPARE(parseLaunchRequest(file.value())->learningRate, 0.25);
    }

    void refusesALearningRateThatCannotBe_data()
    {
        QTest::addColumn<QByteArray>("rate");
        for (const char* rate : {"-1", "1e9", "\"1\"", "null"})
            QTest::addRow("%s", rate) << QByteArray(rate);
    }
    void refusesALearningRateThatCannotBe()
    {
        QFETCH(QByteArray, rate);
        json request = m_run->launchRequest("train");
        request["learning_rate"] = json::parse(rate.toStdString());
        const auto parsed = parseLaunchRequest(request.dump());
        QVERIFY(!parsed.ok());
        QVERIFY(contains(parsed.error().text(), "learning_rate"));
    }

    /// As when a batch system gives the job to another node while the old one is cut off.
    void aNewerAttemptFencesTheOlder()
    {
        m_agent->call(m_run->createRequest());
        const json launched = m_agent->call(m_run->launchRequest("stubborn"));
        const auto supervisor = static_cast<pid_t>(launched.value("pid", 0));
        QVERIFY2(supervisor > 1, launched.dump().c_str());
        QVERIFY(m_run->waitUntil([&] { return ignoringTerm(supervisor) == 1; }));
        const auto old = descendantsOf(supervisor);
        QVERIFY(
            writeFileAtomically(m_run->folder().launchFile(2), m_run->launchRequest("train", 2).dump()).ok());
        const auto second = startDetached({QStringLiteral(TRAINYARD_AGENT).toStdString(), "supervise",
                                           "--run-dir", m_run->folder().path(), "--attempt", "2"});
        QVERIFY2(second.ok() && second->started, second.ok() ? "" : second.error().message.c_str());
        for (const ProcessId& process : old)
            QVERIFY(!isAlive(process));
        QCOMPARE(m_run->events("attempt-fenced"),
                 std::vector<std::string>{"attempt 1 of the run is fenced by attempt 2"});
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        QCOMPARE(m_run->status().attempt, 2u);
        QCOMPARE(m_agent->call(m_run->launchRequest("train", 1)).value("started", true), false);
        QCOMPARE(m_agent->call(kStop).value("clean", false), true);
        QCOMPARE(m_run->status().attempt, 2u);
    }

    void attendsOncePerNodeUntilTheEnd()
    {
        m_agent->call(m_run->createRequest());
        const json attend{{"op", "attend"}, {"run", RunFixture::name()}, {"node", 3}, {"interval_ms", 50}};
        QCOMPARE(m_agent->call(attend).value("started", false), true);
        QCOMPARE(m_agent->call(attend).value("started", true), false);
        m_agent->call(m_run->launchRequest("train"));
        const auto samples = [this] {
            return readJournal(m_run->folder().journal() / "node-3").value().records;
        };
        QVERIFY(m_run->waitUntil([&] { return samples().size() >= 5; }));
        const auto sample = std::get<DeviceSample>(samples().back().payload);
        QCOMPARE(sample.device, -1);
        QVERIFY(sample.memoryUsed > 0 && sample.memoryUsed < sample.memoryTotal);
        QVERIFY(sample.utilisation >= 0 && sample.utilisation <= 1);
        QVERIFY(sample.diskFree > 0);
        m_agent->call(kStop);
        QVERIFY(m_run->waitUntil([this] { return !LockFile::isHeld(m_run->folder().samplerLock(3)); }));
    }

    void removesOnlyWhatHasEnded()
    {
        m_agent->call(m_run->createRequest());
        m_agent->call(m_run->launchRequest("train"));
        QVERIFY(contains(errorOf(m_agent->call({{"op", "remove-run"}, {"run", RunFixture::name()}})),
                         "refused: the run " + RunFixture::name() + " is still active"));
        m_agent->call(kStop);
        std::filesystem::create_directories(m_run->root() / "runs" / ".other.removed-4711" / "checkpoints");
        QCOMPARE(m_agent->call({{"op", "remove-run"}, {"run", RunFixture::name()}}).value("removed", false),
                 true);
        QCOMPARE(m_agent->call({{"op", "remove-run"}, {"run", RunFixture::name()}}).value("removed", true),
                 false);
        QVERIFY(std::filesystem::is_empty(m_run->root() / "runs"));
    }

private:
    std::unique_ptr<RunFixture> m_run;
    std::unique_ptr<AgentClient> m_agent;
};

QTEST_GUILESS_MAIN(TestAgentRuns)
#include "tst_agent_runs.moc"
