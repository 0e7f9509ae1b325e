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

private:
    void launchWaiting()
    {
        const json created = m_agent->call(onDevices(m_run->createRequest(), true));
        QVERIFY2(created.value("created", false), created.dump().c_str());
        const json launched = m_agent->call(m_run->launchRequest("train"));
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
