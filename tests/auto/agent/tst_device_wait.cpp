#include "engine/base/process.h"
#include "remote/agent/host/process_table.h"
#include "tests/auto/agent/fake_gpus.h"
#include "tests/auto/agent/run_checks.h"

#include <nlohmann/json.hpp>

using namespace trainyard;
using namespace trainyard::agent;
using nlohmann::json;

namespace {

/// The request for a run on GPUs that waits for them, or does not.
json onDevices(json request, bool waits)
{
    json spec = json::parse(request["spec"].get<std::string>());
    spec["launch"]["device"] = "cuda";
    spec["launch"]["wait_for_devices"] = waits;
    request["spec"] = spec.dump();
    return request;
}

/// Stands in for ssh to node b: it answers to those who know its key while the file "up" is here, and the
/// file "users" says who uses its devices.
constexpr const char* kWaitingShell = "#!/bin/sh\n"
                                      "for word; do\n"
                                      "    case $word in GlobalKnownHostsFile=*)\n"
                                      "        [ -e \"${word#*=}\" ] || exit 255 ;;\n"
                                      "    esac\n"
                                      "done\n"
                                      "cd \"${0%/ssh}\"\n"
                                      "[ -e up ] || exit 255\n"
                                      "case $* in\n"
                                      "*check-free*) [ ! -s users ] || { cat users; exit 3; } ;;\n"
                                      "esac\n";

/// Instead of mpirun: the first rank alone.
constexpr const char* kFirstRank = "#!/bin/sh\n"
                                   "while [ $# -gt 0 ]; do\n"
                                   "    case $1 in *trainyard-worker) exec \"$@\" ;; esac\n"
                                   "    shift\n"
                                   "done\n";

/// A run on this host and on node b, with one rank each.
class TwoNodes {
public:
    explicit TwoNodes(bool elastic)
        : m_run(1'000'000, 2, {.limit = 2, .backoff = std::chrono::milliseconds(50), .elastic = elastic})
    {
        makeProgram("ssh", kWaitingShell);
        makeProgram("mpirun", kFirstRank);
        std::filesystem::copy(TRAINYARD_FAKE_PROGRAMS "/trainyard-worker", m_run.root());
        std::filesystem::copy(AgentClient::kProgram, m_run.root());
        qputenv("PATH", QByteArray::fromStdString(m_run.root()) + ':' + m_path);
        m_agent.emplace(m_run.root(), std::vector<std::string>{"--local"}, AgentClient::Greeting::Send,
                        std::vector<std::string>{}, m_run.root() / "trainyard-agent");
        answers(true);
        isUsedBy({});
    }
    ~TwoNodes() { qputenv("PATH", m_path); }

    /// Node b from now on.
    void answers(bool isUp) const
    {
        if (isUp)
            QVERIFY(writeFileAtomically(m_run.root() / "up", {}).ok());
        else
            std::filesystem::remove(m_run.root() / "up");
    }
    void isUsedBy(const std::string& users) const
    {
        QVERIFY(writeFileAtomically(m_run.root() / "users", users).ok());
    }

    void launch(std::chrono::milliseconds waitForHosts = std::chrono::minutes(10),
                const std::string& behaviour = "train")
    {
        m_agent->call(onDevices(m_run.createRequest(), true));
        json request = m_run.launchRequest(behaviour);
        request["programs"] = m_run.root();
        request["nodes"][1]["host"] = "b";
        request["known_hosts"] = {"b ssh-ed25519 AAAA"};
        request["wait_for_hosts_ms"] = waitForHosts.count();
        const json launched = m_agent->call(request);
        QVERIFY2(launched.value("started", false), launched.dump().c_str());
    }
    void killRanks() const
    {
        for (const ProcessId& rank : processesWithEnvironment(m_run.folder().marker()))
            signalProcess(rank, SIGKILL);
    }
    bool runs(std::uint32_t attempt) const
    {
        return m_run.waitUntil(
            [&] { return m_run.status().attempt == attempt && m_run.status().state == RunState::Running; });
    }
    json stop() { return m_agent->call(kStop); }
    const RunFixture& run() const { return m_run; }
    bool reports(RunState state, const std::string& reason = {}) const
    {
        return m_run.waitUntil(
            [&] { return m_run.status().state == state && contains(m_run.status().reason, reason); });
    }

private:
    void makeProgram(const char* name, const char* text) const
    {
        QVERIFY(writeFileAtomically(m_run.root() / name, text).ok());
        std::filesystem::permissions(m_run.root() / name, std::filesystem::perms::owner_all);
    }

    QByteArray m_path = qgetenv("PATH");
    RunFixture m_run;
    std::optional<AgentClient> m_agent;
};

std::string on(const char* gpu, pid_t pid)
{
    return std::string(gpu) + ", " + std::to_string(pid) + ", 31949, /usr/bin/tst_device_wait";
}

} // namespace

/// Runs on GPUs that somebody uses: this test's own process is on them, as nvidia-smi says.
class TestDeviceWait : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_gpus = std::make_unique<FakeGpus>();
        m_run = std::make_unique<RunFixture>();
        m_agent = std::make_unique<AgentClient>(m_run->root());
    }
    void cleanup()
    {
        m_agent.reset();
        sweepRun(secondRun().marker(), 0, std::chrono::milliseconds(0));
        m_run->waitUntil([this] { return !isSupervised(secondRun()); }); // it still writes into the folder
        m_run.reset();
        m_gpus.reset();
    }

    void aRunWaitsWithoutItsClientUntilADeviceIsFree()
    {
        QVERIFY(m_gpus->show({on("GPU-a", ::getpid()), on("GPU-b", ::getpid())}));
        launchWaiting();
        QVERIFY(m_run->waitUntil([this] { return isPending(); }));
        const std::string reason = m_run->status().reason;
        QVERIFY2(contains(reason, "0 of 2 GPUs are free and 1 are needed: gpu 0 is used by"), reason.c_str());
        QVERIFY2(contains(reason, "31.2 GiB"), reason.c_str());
        QCOMPARE(m_run->liveProcesses(), std::size_t(0));
        m_agent->kill();
        QVERIFY(m_gpus->show({on("GPU-a", ::getpid())}));
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        const auto ranks = processesWithEnvironment(m_run->folder().marker());
        QCOMPARE(ranks.size(), std::size_t(1));
        QCOMPARE(environmentValue(ranks[0], "CUDA_VISIBLE_DEVICES"), std::optional<std::string>("GPU-b"));
        AgentClient again(m_run->root());
        QVERIFY(again.call(kStop).value("clean", false));
        QCOMPARE(m_run->history(), std::string("starting pending starting running stopping stopped"));
    }

    void aStopEndsTheWait()
    {
        QVERIFY(m_gpus->show({on("GPU-a", ::getpid()), on("GPU-b", ::getpid())}));
        launchWaiting();
        QVERIFY(m_run->waitUntil([this] { return isPending(); }));
        QVERIFY(m_agent->call(kStop).value("clean", false));
        QCOMPARE(m_run->status().state, RunState::Stopped);
        QCOMPARE(m_run->status().reason, std::string("stopped by request before it started"));
        QVERIFY(!isSupervised(m_run->folder()));
    }

    void aRunThatDoesNotWaitStartsAtOnce()
    {
        QVERIFY(m_gpus->show({on("GPU-a", ::getpid()), on("GPU-b", ::getpid())}));
        m_agent->call(onDevices(m_run->createRequest(), false));
        QVERIFY(m_agent->call(m_run->launchRequest("train")).value("started", false));
        QVERIFY(m_run->waitUntil([this] { return m_run->status().state == RunState::Running; }));
        QVERIFY(m_agent->call(kStop).value("clean", false));
        QCOMPARE(m_run->history(), std::string("starting running stopping stopped"));
    }

    void aHostThatIsDownIsNotWaitedForAsADevice()
    {
        TwoNodes nodes(/*elastic=*/false);
        nodes.answers(false);
        nodes.launch();
        QVERIFY(nodes.reports(RunState::Starting, "waiting up to 10 min 0 s: no answer from b"));
        nodes.answers(true);
        nodes.isUsedBy("all GPUs are used by anna");
        QVERIFY(nodes.reports(RunState::Pending, "waiting for devices: b: all GPUs are used by anna"));
        nodes.isUsedBy({});
        QVERIFY(nodes.reports(RunState::Running));
        QVERIFY(nodes.stop().value("clean", false));
    }

    void theWaitForAHostThatIsDownEnds()
    {
        TwoNodes nodes(/*elastic=*/false);
        nodes.answers(false);
        nodes.launch(std::chrono::milliseconds(1));
        const RunStatus status = nodes.run().waitForEnd();
        QCOMPARE(status.state, RunState::Failed);
        QVERIFY2(contains(status.reason, "gave up after 1 ms: no answer from b"), status.reason.c_str());
    }

    void anElasticRunContinuesWithoutAHostThatDied()
    {
        TwoNodes nodes(/*elastic=*/true);
        nodes.launch();
        QVERIFY(nodes.reports(RunState::Running));
        nodes.killRanks();
        QVERIFY(nodes.runs(2));
        nodes.answers(false);
        nodes.killRanks();
        QVERIFY(nodes.runs(3));
        const auto begun = nodes.run().events("attempt-started");
        QVERIFY2(begun[1].starts_with("attempt 2 with 2 ranks on localhost, b"), begun[1].c_str());
        QVERIFY2(begun[2].starts_with("attempt 3 with 1 rank on localhost"), begun[2].c_str());
        QVERIFY(nodes.stop().value("clean", false));
    }

    void anElasticRunWaitsForTheHostsThatItsCheckpointNeeds()
    {
        TwoNodes nodes(/*elastic=*/true);
        nodes.launch(std::chrono::minutes(10), "partial");
        QVERIFY(nodes.runs(1));
        nodes.answers(false);
        nodes.killRanks();
        QVERIFY(nodes.reports(RunState::Starting, "no answer from b, and the checkpoint needs all hosts"));
        QCOMPARE(nodes.run().status().attempt, 3u);
        nodes.answers(true);
        QVERIFY(nodes.runs(3));
        const auto begun = nodes.run().events("attempt-started");
        QVERIFY2(begun[1].starts_with("attempt 2 with 1 rank on localhost"), begun[1].c_str());
        QVERIFY2(begun[2].starts_with("attempt 3 with 2 ranks on localhost, b"), begun[2].c_str());
        QVERIFY(nodes.stop().value("clean", false));
    }

    void aHostThatDiesWhileTheRunWaitsIsLeftOut()
    {
        TwoNodes nodes(/*elastic=*/true);
        nodes.isUsedBy("all GPUs are used by anna");
        nodes.launch();
        QVERIFY(nodes.reports(RunState::Pending, "used by anna"));
        nodes.answers(false);
        QVERIFY(nodes.reports(RunState::Running));
        QVERIFY(nodes.stop().value("clean", false));
    }

    void runsThatWaitBeginOneAfterAnother()
    {
        QVERIFY(m_gpus->show({on("GPU-a", ::getpid()), on("GPU-b", ::getpid())}));
        launchWaiting("stubborn"); // it never says that it works
        const RunFolder second = launchSecond();
        QVERIFY(m_run->waitUntil([&] { return isPending() && stateOf(second) == RunState::Pending; }));
        QVERIFY(m_gpus->show({on("GPU-b", ::getpid())}));
        QVERIFY(m_run->waitUntil([&] { return m_run->liveProcesses() + liveIn(second) == 1; }));
        QVERIFY(m_gpus->show({}));
        QVERIFY(m_run->waitUntil([&] { return m_run->liveProcesses() == 1 && liveIn(second) == 1; }));
        const auto devices = [](const RunFolder& folder) {
            return environmentValue(processesWithEnvironment(folder.marker())[0], "TRAINYARD_DEVICES");
        };
        QVERIFY(devices(m_run->folder()) != devices(second));
        for (const std::string& run : {RunFixture::name(), second.run()})
            QVERIFY(m_agent->call({{"op", "stop"}, {"run", run}, {"grace_ms", 1}}).value("clean", false));
    }

private:
    RunFolder secondRun() const { return {m_run->root(), RunFixture::name() + "second"}; }
    RunFolder launchSecond()
    {
        for (json request : {onDevices(m_run->createRequest(), true), m_run->launchRequest("stubborn")}) {
            request["run"] = secondRun().run();
            m_agent->call(request);
        }
        return secondRun();
    }
    static RunState stateOf(const RunFolder& folder)
    {
        return readStatus(folder).value_or(RunStatus{}).state;
    }
    static std::size_t liveIn(const RunFolder& folder)
    {
        return processesWithEnvironment(folder.marker()).size();
    }

    void launchWaiting(const std::string& behaviour = "train")
    {
        const json created = m_agent->call(onDevices(m_run->createRequest(), true));
        QVERIFY2(created.value("created", false), created.dump().c_str());
        const json launched = m_agent->call(m_run->launchRequest(behaviour));
        QVERIFY2(launched.value("started", false), launched.dump().c_str());
    }
    bool isPending() const
    {
        return m_run->status().state == RunState::Pending &&
               contains(m_run->status().reason, "waiting for devices");
    }

    std::unique_ptr<FakeGpus> m_gpus;
    std::unique_ptr<RunFixture> m_run;
    std::unique_ptr<AgentClient> m_agent;
};

QTEST_GUILESS_MAIN(TestDeviceWait)
#include "tst_device_wait.moc"
