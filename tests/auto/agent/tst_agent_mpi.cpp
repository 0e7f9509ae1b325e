#include <csignal>

#include "engine/base/process.h"
#include "remote/agent/host/process_table.h"
#include "tests/auto/agent/run_fixture.h"

#include <unistd.h>

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

/// A second "machine": a network namespace with a host name of its own, which a script instead of ssh leads
/// to.
class SecondMachine {
public:
    explicit SecondMachine(const std::filesystem::path& folder) : m_rsh(folder / "rsh")
    {
        m_made =
            run({"ip", "netns", "add", m_name}) &&
            run({"ip", "link", "add", m_name, "type", "veth", "peer", "name", "eth0", "netns", m_name}) &&
            run({"ip", "addr", "add", m_subnet + "1/24", "dev", m_name}) &&
            run({"ip", "link", "set", m_name, "up"}) &&
            run({"ip", "-n", m_name, "addr", "add", m_subnet + "2/24", "dev", "eth0"}) &&
            run({"ip", "-n", m_name, "link", "set", "eth0", "up"}) &&
            run({"ip", "-n", m_name, "link", "set", "lo", "up"});
        const std::string script =
            "#!/bin/sh\nshift\nexec env -i PATH=/usr/bin:/bin HOME=/tmp nsenter --net=/run/netns/" + m_name +
            " unshare -u sh -c \"hostname second; $*\"\n";
        m_made = m_made && writeFileAtomically(m_rsh, script).ok();
        std::filesystem::permissions(m_rsh, std::filesystem::perms::owner_all);
    }
    ~SecondMachine()
    {
        run({"ip", "link", "del", m_name});
        run({"ip", "netns", "del", m_name});
    }
    /// False where the kernel or the container does not allow it; anything else that fails is a failure.
    static bool isAllowed() { return ::geteuid() == 0 && run({"unshare", "--net", "--uts", "true"}); }
    bool isThere() const { return m_made; }
    std::string rsh() const { return m_rsh; }
    std::string subnet() const { return m_subnet; }

private:
    static bool run(const std::vector<std::string>& command)
    {
        const auto output = runCommand(command, AgentClient::kPatience);
        return output.ok() && output->status == 0;
    }

    std::filesystem::path m_rsh;
    std::string m_name = "ty" + std::to_string(::getpid());
    std::string m_subnet = "10.79." + std::to_string(::getpid() % 250) + ".";
    bool m_made = false;
};

} // namespace

/// Two ranks through the real mpirun.
class TestAgentMpi : public QObject {
    Q_OBJECT

private slots:
    void trainsOnTwoRanks()
    {
        RunFixture run(20, 2);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        const json launched = agent.call(run.launchRequest("train", 1, 2));
        QVERIFY2(launched.value("started", false), launched.dump().c_str());
        const RunStatus status = run.waitForEnd();
        QVERIFY2(status.state == RunState::Finished, status.reason.c_str());
        QCOMPARE(status.step, 20);
        QVERIFY(std::filesystem::exists(run.folder().rankLog(1)));
    }

    void namesTheRankThatFailed_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addColumn<QString>("reason");
        QTest::addRow("exit") << "fail"
                              << "rank 1 on localhost ended with status 5: the loss is not finite at step 3";
        QTest::addRow("signal") << "crash"
                                << "rank 1 on localhost was killed by signal 11 (Segmentation fault)";
    }
    void namesTheRankThatFailed()
    {
        QFETCH(QString, behaviour);
        QFETCH(QString, reason);
        RunFixture run(1'000'000, 2);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        json request = run.launchRequest(behaviour.toStdString(), 1, 2);
        request["environment"]["TRAINYARD_FAKE_RANK"] = "1";
        agent.call(request);
        const RunStatus status = run.waitForEnd();
        QCOMPARE(status.state, RunState::Failed);
        // OpenMPI 4.1 now and then does not say which rank was killed, and a killed rank leaves no word of
        // its own.
        const QString unsaid =
            "a rank was killed by signal 11 (Segmentation fault); mpirun did not say which one";
        QVERIFY2(status.reason == reason.toStdString() ||
                     (behaviour == "crash" && status.reason == unsaid.toStdString()),
                 status.reason.c_str());
        QVERIFY(run.waitUntil([&] { return run.liveProcesses() == 0; }));
    }

    void stopEndsMpirunAndItsRanks_data()
    {
        QTest::addColumn<QString>("behaviour");
        QTest::addRow("obedient") << "train";
        QTest::addRow("stubborn") << "stubborn";
    }
    void stopEndsMpirunAndItsRanks()
    {
        QFETCH(QString, behaviour);
        RunFixture run(1'000'000, 2);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        agent.call(run.launchRequest(behaviour.toStdString(), 1, 2));
        QVERIFY(run.waitUntil([&] { return run.liveProcesses() == 3; })); // mpirun and two ranks
        QElapsedTimer timer;
        timer.start();
        const json reply = agent.call({{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 2000}});
        QCOMPARE(reply.value("clean", false), true);
        QCOMPARE(run.liveProcesses(), std::size_t(0));
        QCOMPARE(run.status().state, RunState::Stopped);
        qInfo("%s: %lld ms", qPrintable(behaviour), static_cast<long long>(timer.elapsed()));
    }

    void trainsAndStopsOnTwoMachines()
    {
        if (!SecondMachine::isAllowed())
            QSKIP("needs the right to make a network namespace");
        RunFixture run(1'000'000, 2);
        const SecondMachine second(run.root());
        QVERIFY(second.isThere());
        // mpirun takes no blanks in what it tells other machines, and the build may lie below some.
        const auto programs = run.root() / "programs";
        std::filesystem::create_directory(programs);
        std::filesystem::copy(AgentClient::kProgram, programs);
        std::filesystem::copy(TRAINYARD_FAKE_PROGRAMS "/trainyard-worker", programs);
        AgentClient agent(run.root(), {"--local"}, AgentClient::Greeting::Send, {},
                          programs / "trainyard-agent");
        agent.call(run.createRequest());
        json request = run.launchRequest("train", 1, 1);
        request["programs"] = programs;
        request["nodes"][1]["host"] = second.subnet() + "2";
        request["rsh"] = second.rsh();
        request["interface"] = second.subnet() + "0/24";
        const json launched = agent.call(request);
        QVERIFY2(launched.value("started", false), launched.dump().c_str());
        // mpirun and a rank here; what reaches the other machine; its guard, orted and rank
        QVERIFY(run.waitUntil([&] { return run.liveProcesses() >= 6; }));
        QVERIFY(run.waitUntil([&] { return run.status().state == RunState::Running; }));
        const json reply = agent.call({{"op", "stop"}, {"run", RunFixture::name()}, {"grace_ms", 10'000}});
        QCOMPARE(reply.value("clean", false), true);
        QCOMPARE(run.status().state, RunState::Stopped);
        QCOMPARE(run.liveProcesses(), std::size_t(0));
    }

    void aKilledMpirunLeavesNoRank()
    {
        RunFixture run(1'000'000, 2);
        AgentClient agent(run.root());
        agent.call(run.createRequest());
        const json launched = agent.call(run.launchRequest("train", 1, 2));
        const auto supervisor = static_cast<pid_t>(launched.value("pid", 0));
        QVERIFY2(supervisor > 1, launched.dump().c_str());
        QVERIFY(run.waitUntil([&] { return run.liveProcesses() == 3; }));
        for (const ProcessId& process : descendantsOf(supervisor)) {
            std::error_code gone; // with mpirun, which was killed before it
            const auto program =
                std::filesystem::read_symlink("/proc/" + std::to_string(process.pid) + "/exe", gone);
            if (!gone && program.filename() != "trainyard-worker")
                signalProcess(process, SIGKILL);
        }
        const RunStatus status = run.waitForEnd();
        QCOMPARE(status.state, RunState::Failed);
        QVERIFY2(status.reason.starts_with("mpirun was killed by signal 9"), status.reason.c_str());
        QCOMPARE(run.liveProcesses(), std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestAgentMpi)
#include "tst_agent_mpi.moc"
