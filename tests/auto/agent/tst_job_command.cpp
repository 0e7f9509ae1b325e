#include <algorithm>
#include <netinet/in.h>
#include <sys/socket.h>

// Before Qt, whose macro "slots" would cut the field of that name.
#include "engine/base/file.h"
#include "remote/agent/host/free_port.h"
#include "remote/agent/sampler/nvidia_smi.h"
#include "remote/agent/supervise/job_command.h"
#include "tests/auto/agent/launch_pieces.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;

namespace {

const RunFolder kRun("/home/ada/.trainyard", "20261121T091505Z-tiny-1f2e");
const HeadNode kHead{"head", 4, false, "/opt/agent"};
const Environment kInherited{"PATH=/usr/bin", "CUDA_VISIBLE_DEVICES=0,1"};

std::string joined(const std::vector<std::string>& arguments)
{
    std::string text;
    for (const std::string& argument : arguments)
        text += (text.empty() ? "" : " ") + argument;
    return text;
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

bool has(const Environment& environment, const std::string& entry)
{
    return std::find(environment.begin(), environment.end(), entry) != environment.end();
}

} // namespace

/// What the supervisor starts, and how it asks for that.
class TestJobCommand : public QObject {
    Q_OBJECT

private slots:
    void startsOneRankWithoutMpi()
    {
        const auto command =
            jobCommand(kRun, training(1), requestFor({node("head")}), kHead, kInherited).value();
        QVERIFY(!command.throughMpi);
        QCOMPARE(joined(command.arguments), "/home/ada/.trainyard/bundles/" + std::string(64, 'b') +
                                                "/bin/trainyard-worker train --run-dir " +
                                                kRun.path().string() + " --attempt 1");
        QVERIFY(has(command.environment, "TRAINYARD_RUN=20261121T091505Z-tiny-1f2e"));
        QVERIFY(has(command.environment, "OMP_NUM_THREADS=1"));
        QVERIFY(has(command.environment,
                    "LD_LIBRARY_PATH=/home/ada/.trainyard/bundles/" + std::string(64, 'b') + "/lib"));
    }

    void passesOnlyWhatIsListed()
    {
        LaunchRequest request = requestFor({node("head")});
        request.environment["CUDA_VISIBLE_DEVICES"] = "3";
        const auto command = jobCommand(kRun, training(1), request, kHead, kInherited).value();
        QVERIFY(has(command.environment, "CUDA_VISIBLE_DEVICES=3"));
        QVERIFY(!has(command.environment, "CUDA_VISIBLE_DEVICES=0,1"));
        QCOMPARE(command.environment.size(),
                 std::size_t(8)); // two markers, PATH, CUDA, LD, OMP and two of malloc
    }

    void asksNobodyForRanksOnOneMachine()
    {
        const auto command =
            jobCommand(kRun, training(2), requestFor({node("gpu-01", 2)}), kHead, kInherited).value();
        const std::string line = joined(command.arguments);
        QVERIFY(line.starts_with("mpirun --hostfile "));
        QVERIFY(contains(line, "-np 2 "));
        QVERIFY(contains(line, "--mca plm isolated"));
        QVERIFY(contains(line, "--mca btl_vader_single_copy_mechanism none"));
        QVERIFY(!contains(line, "plm_rsh_agent"));
        QVERIFY(!contains(line, "--allow-run-as-root"));
        QVERIFY(contains(line, "--bind-to none"));
        QCOMPARE(command.hostfile, std::string("head slots=2\n"));
        QVERIFY(!has(command.environment, "OMP_NUM_THREADS=1")); // given to the ranks by -x, not to mpirun
    }

    void bindsWhenTheRunTakesTheWholeMachine()
    {
        const auto line = [](const RunWork& work, int slotsThere) {
            return joined(
                jobCommand(kRun, work, requestFor({node("head", slotsThere)}), kHead, kInherited)->arguments);
        };
        QVERIFY(contains(line(training(4), 4), "--use-hwthread-cpus --map-by slot:PE=1 --bind-to hwthread"));
        QVERIFY(
            contains(line(training(2, 2), 2), "--use-hwthread-cpus --map-by slot:PE=2 --bind-to hwthread"));
        QVERIFY(contains(line(training(8), 8), "--oversubscribe --mca mpi_yield_when_idle 1 --bind-to none"));
    }

    void bindsWhenTheRunTakesAllOfEachHost_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("coresOfOther");
        QTest::addColumn<bool>("binds");
        QTest::newRow("all of both") << 4 << 2 << 4 << true;
        QTest::newRow("the other has more") << 4 << 2 << 8 << false;
        QTest::newRow("the other has fewer") << 4 << 2 << 3 << false;
        QTest::newRow("the other is unknown") << 4 << 2 << 0 << false;
        QTest::newRow("a slot is left") << 3 << 2 << 4 << false;
        QTest::newRow("as many ranks as the smaller rest") << 3 << 2 << 2 << true;
        QTest::newRow("the other is not needed") << 2 << 2 << 64 << true;
        QTest::newRow("cores are left") << 4 << 1 << 4 << false;
    }
    // The head has four cores.
    void bindsWhenTheRunTakesAllOfEachHost()
    {
        QFETCH(const int, ranks);
        QFETCH(const int, threads);
        QFETCH(const int, coresOfOther);
        LaunchRequest request = requestFor({node("head", 2), node("other", 2)});
        request.nodes[1].cores = coresOfOther;
        const std::string line =
            joined(jobCommand(kRun, training(ranks, threads), request, kHead, kInherited).value().arguments);
        QTEST(contains(line, "--map-by slot:PE=" + std::to_string(threads) + " --bind-to hwthread"), "binds");
        QCOMPARE(contains(line, "--bind-to none"), !contains(line, "--bind-to hwthread"));
    }

    // Slurm gives a job as many cores of each node.
    void bindsInAnAllocationThatTheRunTakesUp()
    {
        LaunchRequest request = requestFor({node("n1", 2), node("n2", 2)});
        request.allocation = Allocation{"17", "mpirun"};
        const auto line = [&request](int threads) {
            return joined(
                jobCommand(kRun, training(4, threads), request, kHead, kInherited).value().arguments);
        };
        QVERIFY2(contains(line(2), "mpirun -np 4 --use-hwthread-cpus --map-by slot:PE=2 --bind-to hwthread "),
                 line(2).c_str());
        QVERIFY2(contains(line(1), "--bind-to none"), line(1).c_str());
    }

    void reachesOtherNodesFromTheHeadOnly()
    {
        LaunchRequest request = requestFor({node("gpu-01", 2), node("10.77.0.2", 2), node("10.77.0.3", 2)});
        request.interface = "10.77.0.0/24";
        const auto command =
            jobCommand(kRun, training(4), request, {"head", 4, true, "/opt/agent", "/dev/shm/x"}, kInherited)
                .value();
        const std::string line = joined(command.arguments);
        for (const char* part :
             {"--allow-run-as-root", "--mca btl self,vader,tcp", "--mca btl_tcp_if_include 10.77.0.0/24",
              "--mca oob_tcp_if_include 10.77.0.0/24",
              "--mca plm_rsh_agent /opt/agent renew --lease-ms 50000 -- ssh -o BatchMode=yes",
              "--mca orte_tmpdir_base /dev/shm/x --mca btl_vader_backing_directory /dev/shm/x ",
              "--mca orte_launch_agent env TRAINYARD_SESSION=/dev/shm/x TRAINYARD_RUN=",
              "TRAINYARD_ATTEMPT=1 /home/ada/.trainyard/bundles/", "--leave-session-attached",
              "/bin/trainyard-agent guard --run 20261121T091505Z-tiny-1f2e --attempt 1 --lease-ms 50000 -- "
              "orted",
              "--mca plm_rsh_no_tree_spawn 1", "--mca oob_tcp_keepalive_time 4", "-x TRAINYARD_RUN"})
            QVERIFY2(contains(line, part), line.c_str());
        QCOMPARE(command.hostfile,
                 std::string("head slots=2\n10.77.0.2 slots=2\n")); // the third one is not needed
    }

    void startsEverythingByTheBundlesOwnLoader()
    {
        HeadNode head = kHead;
        head.ownRuntime = true;
        const std::string agent =
            "/home/ada/.trainyard/bundles/" + std::string(64, 'b') + "/bin/trainyard-agent";
        const auto single =
            jobCommand(kRun, training(1), requestFor({node("head")}), head, kInherited).value();
        QVERIFY(joined(single.arguments).starts_with(agent + " exec trainyard-worker train --run-dir "));
        const auto command =
            jobCommand(kRun, training(2), requestFor({node("head"), node("b")}), head, kInherited).value();
        const std::string line = joined(command.arguments);
        QVERIFY2(line.starts_with(agent + " exec mpirun --hostfile "), line.c_str());
        for (const std::string& part : {" --lease-ms 50000 -- " + agent + " exec orted ",
                                        " " + agent + " exec trainyard-worker train "})
            QVERIFY2(contains(line, part), line.c_str());
        for (const Environment& environment : {single.environment, command.environment})
            QVERIFY(std::ranges::none_of(environment,
                                         [](const auto& e) { return e.starts_with("LD_LIBRARY_PATH="); }));
        QVERIFY2(!contains(line, "LD_LIBRARY_PATH"), line.c_str());
        const auto check = nodeCheckCommand(kRun, requestFor({node("b")}), "/opt/agent", true);
        QVERIFY(check.front() == agent && check.back() == "--own-mpi");
    }

    void takesTheNodesMpiWhereAsked()
    {
        QCOMPARE(
            parseTraining(R"({"trainyard": 1, "dataset": {"path": "/d"}, "launch": {"mpi": "node"}})")->mpi,
            MpiSource::Node);
        QCOMPARE(parseTraining(R"({"trainyard": 1, "dataset": {"path": "/d"}})")->mpi, MpiSource::Bundled);
        RunWork work = training(2);
        work.mpi = MpiSource::Node;
        QVERIFY(!usesOwnRuntime(kRun, work, requestFor({node("head", 2)})));
    }

    /// One command starts the guards of all nodes.
    void guardsTakeTheDevicesOfTheirNodes()
    {
        HeadNode head = kHead;
        const auto line = [&head](int ranks) {
            LaunchRequest request = requestFor({node("head", 1), node("b", 2), node("c", 2)});
            request.nodes[2].devices = {"1", "GPU-5f2a"};
            return joined(jobCommand(kRun, training(ranks), request, head, kInherited)->arguments);
        };
        QVERIFY(!contains(line(5), "--devices"));
        head.mayUseDevices = true;
        QVERIFY2(contains(line(5),
                          "--lease-ms 50000 --devices 2,2:1+GPU-5f2a --root /home/ada/.trainyard -- orted"),
                 line(5).c_str());
        QVERIFY(contains(line(4), "--devices 2,1:1+GPU-5f2a "));
    }

    void ranksMayUseDevicesUnlessSomebodyHasChosen()
    {
        LaunchRequest request = requestFor({node("head")});
        RunWork work = training(1);
        QVERIFY(!mayUseDevices(kRun, work, request)); // no engine is there, so none with CUDA
        work.device = DeviceKind::Cuda;
        QVERIFY(mayUseDevices(kRun, work, request));
        request.environment["CUDA_VISIBLE_DEVICES"] = "3";
        QVERIFY(!mayUseDevices(kRun, work, request));
        work.device = DeviceKind::Cpu;
        QVERIFY(!mayUseDevices(kRun, work, requestFor({node("head")})));
    }

    void asksWhetherANodeIsFree()
    {
        RunWork work = training(3, 4);
        work.device = DeviceKind::Cuda;
        const LaunchRequest request = requestFor({node("head", 2), node("b", 2)});
        QCOMPARE(ranksOnNodes(request, 3), (std::vector<int>{2, 1}));
        QCOMPARE(joined(freeCheckCommand(kRun, work, request, "/opt/agent", request.nodes[0], 1)),
                 "/home/ada/.trainyard/bundles/" + std::string(64, 'b') +
                     "/bin/trainyard-agent check-free --run 20261121T091505Z-tiny-1f2e --ranks 1 --threads 4 "
                     "--device cuda");
        LaunchNode named = request.nodes[1];
        named.devices = {"0", "2"};
        QVERIFY(joined(freeCheckCommand(kRun, work, request, "/opt/agent", named, 1)).ends_with(" --of 0,2"));
    }

    void keepsToThePortsAndTheFamilyOfTheNetwork()
    {
        LaunchRequest request = requestFor({node("head"), node("b")});
        const auto line = [&request] {
            HeadNode head = kHead;
            head.daemonPort = 20040;
            return joined(jobCommand(kRun, training(2), request, head, kInherited)->arguments);
        };
        QVERIFY(!contains(line(), "_port"));
        QVERIFY(!contains(line(), "disable"));
        request.firstPort = 20000;
        request.lastPort = 20063;
        request.interface = "eth1";
        request.ipv6 = true;
        for (const char* part : {"--mca btl_tcp_port_min_v4 20000 --mca btl_tcp_port_range_v4 64 ",
                                 "--mca oob_tcp_dynamic_ipv4_ports 20040", "--mca btl_tcp_port_min_v6 20000",
                                 "--mca btl_tcp_disable_family 4", "--mca oob_tcp_disable_ipv4_family 1",
                                 "--mca btl_tcp_if_include eth1"})
            QVERIFY2(contains(line(), part), line().c_str());
        QVERIFY(!contains(line(), "20000-")); // a daemon would take all of them
        const auto again = parseLaunchRequest(toJson(request));
        QVERIFY(again.ok() && again->ipv6);
        QCOMPARE(again->firstPort, 20000);
        QCOMPARE(again->lastPort, 20063);
        QVERIFY(!parseLaunchRequest(R"({"nodes":[{"host":"a"}],"bundle":")" + std::string(64, 'b') +
                                    R"(","first_port":3000,"last_port":2000})")
                     .ok());
    }

    void choosesAFreePortForDaemons()
    {
        LaunchRequest request = requestFor({node("head"), node("b")});
        const auto all = [](int) { return true; };
        QCOMPARE(choosePort(kRun, request, all), 0);
        request.firstPort = 20000;
        request.lastPort = 20063;
        const int first = choosePort(kRun, request, all);
        QVERIFY(first >= 20032 && first <= 20063); // ranks take the first ones
        ++request.attempt;
        QVERIFY(choosePort(kRun, request, all) != first);
        QCOMPARE(choosePort(kRun, request, [](int port) { return port == 20050; }), 20050);
        const int taken = choosePort(kRun, request, [](int) { return false; });
        QVERIFY(taken >= 20032 && taken <= 20063);
        request.firstPort = request.lastPort;
        QCOMPARE(choosePort(kRun, request, all), 20063);
    }

    void findsOutWhetherAPortIsFree()
    {
        FileDescriptor server(::socket(AF_INET, SOCK_STREAM, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        QCOMPARE(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), size), 0);
        QCOMPARE(::listen(server.get(), 1), 0);
        QCOMPARE(::getsockname(server.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
        QVERIFY(!isFreePort(ntohs(address.sin_port)));
        server.reset();
        QVERIFY(isFreePort(ntohs(address.sin_port)));
    }

    void refusesMoreRanksThanSlots()
    {
        const auto command =
            jobCommand(kRun, training(4), requestFor({node("head", 2), node("b", 1)}), kHead, kInherited);
        QCOMPARE(command.error().kind, ErrorKind::Refused);
        QCOMPARE(command.error().message, std::string("the run has 4 ranks, but the nodes have 3 slots"));
    }

    void probesEverySlotOfASpecification()
    {
        const RunWork work = parseProbe(R"({"trainyard": 1, "name": "lab", "dataset": {"path": "/d"},
            "cluster": {"nodes": [{"host": "head", "slots": 2}, {"host": "b", "slots": 3}]},
            "layout": {"data": 2}, "batch": {"global": 2, "micro": 1, "accumulation": 1},
            "launch": {"restart": {"limit": 5, "after_reboot": true}}})")
                                 .value();
        QCOMPARE(work.kind, WorkKind::Probe);
        QCOMPARE(work.ranks, 5);
        QCOMPARE(work.steps, 0);
        QCOMPARE(work.restart.limit, 0);
        QVERIFY(!work.restart.afterReboot);
        const auto command =
            jobCommand(kRun, work, requestFor({node("head", 2), node("b", 3)}), kHead, kInherited).value();
        const std::string line = joined(command.arguments);
        QVERIFY2(contains(line, "-np 5") && contains(line, "/bin/trainyard-worker probe --run-dir"),
                 line.c_str());
        QVERIFY(!parseProbe(R"({"trainyard": 1, "layuot": {}})").ok());
    }

    void startsPreparationWithItsArguments()
    {
        RunWork work;
        work.kind = WorkKind::Prepare;
        work.arguments = {"dump.xml.bz2", "--vocab", "a b.txt"};
        const auto command = jobCommand(kRun, work, requestFor({node("head")}), kHead, kInherited).value();
        QCOMPARE(command.arguments.size(), std::size_t(7));
        QVERIFY(command.arguments[0].ends_with("/bin/trainyard-prepare"));
        QCOMPARE(command.arguments[4], std::string("a b.txt")); // one argument, no shell
        QCOMPARE(command.arguments[5], std::string("--run-dir"));
    }

    void aDataJobNamesItsCommand()
    {
        const auto commandOf = [](const char* job) {
            const auto work = parsePreparation(job);
            return work.ok() ? work->command : "error: " + work.error().message;
        };
        QCOMPARE(commandOf(R"({"arguments": []})"), std::string("prepare"));
        QCOMPARE(commandOf(R"({"command": "verify", "arguments": []})"), std::string("verify"));
        QVERIFY(commandOf(R"({"command": "tokenize", "arguments": []})").starts_with("error: job.command"));
        QVERIFY(commandOf(R"({"command": 7, "arguments": []})").starts_with("error: job.command"));
        RunWork work;
        work.kind = WorkKind::Prepare;
        work.command = "verify";
        work.arguments = {"/data/set"};
        const auto command = jobCommand(kRun, work, requestFor({node("head")}), kHead, kInherited).value();
        QCOMPARE(command.arguments[1], std::string("verify"));
        QCOMPARE(command.arguments[2], std::string("/data/set"));
    }

    void aTrialIsAJobOfTheWorker()
    {
        const auto work = parsePreparation(
            R"({"name": "try", "command": "try", "arguments": ["--greedy", "--", "run-1", "- a text"]})");
        const auto command =
            jobCommand(kRun, work.value(), requestFor({node("head")}), kHead, kInherited).value();
        QVERIFY(command.arguments[0].ends_with("/bin/trainyard-worker"));
        QVERIFY(!command.throughMpi);
        // Behind the dashes everything is a name or a text.
        QVERIFY((std::vector(command.arguments.begin() + 1, command.arguments.end()) ==
                 std::vector<std::string>{"try", "--greedy", "--run-dir", kRun.path(), "--", "run-1",
                                          "- a text"}));
    }

    void anEvaluationIsAJobOfTheWorker()
    {
        const auto work =
            parsePreparation(R"({"command": "eval", "arguments": ["--data", "/data/set", "--", "run-1"]})");
        const auto command =
            jobCommand(kRun, work.value(), requestFor({node("head")}), kHead, kInherited).value();
        QVERIFY(command.arguments[0].ends_with("/bin/trainyard-worker"));
        QVERIFY((std::vector(command.arguments.begin() + 1, command.arguments.end()) ==
                 std::vector<std::string>{"eval", "--data", "/data/set", "--run-dir", kRun.path(), "--",
                                          "run-1"}));
    }

    void keepsALaunchRequest()
    {
        LaunchRequest request = requestFor({LaunchNode{"a", 2, 8, "/r"}, node("b", 1)});
        request.environment["NCCL_DEBUG"] = "INFO";
        const LaunchRequest again = parseLaunchRequest(toJson(request)).value();
        QCOMPARE(toJson(again), toJson(request));
        QCOMPARE(hostOfRank(again, 1), std::string("a"));
        QCOMPARE(hostOfRank(again, 2), std::string("b"));
        QCOMPARE(hostOfRank(again, 3), std::string());
    }

    void understandsNvidiaSmi()
    {
        const auto gpu = parseGpuFacts("0, NVIDIA H200, GPU-5f2a, 570.86.15, 9.0, 143771, 412, 37").value();
        QCOMPARE(gpu.name, std::string("NVIDIA H200"));
        QCOMPARE(gpu.memoryTotal, Bytes(143771) * kMiB);
        QCOMPARE(gpu.utilisation, 0.37);
        const auto sample = parseGpuSample("3, 412, 143771, 37, 61, 412.85").value();
        QCOMPARE(sample.celsius, std::optional(61.0));
        QCOMPARE(sample.watts, std::optional(412.85));
        const auto whole =
            parseGpuSample("3, 412, 143771, 37, 61, 412.85, 5, 1, GPU-5f2a, 71, 700.00, 1755, 1980, "
                           "0x0000000000000060")
                .value();
        QCOMPARE(whole.health.uuid, std::string("GPU-5f2a"));
        QCOMPARE(whole.health.memoryCelsius, std::optional(71.0));
        QCOMPARE(whole.health.limitWatts, std::optional(700.0));
        QCOMPARE(whole.health.clockMhz, std::optional(1755.0));
        QCOMPARE(whole.health.maxClockMhz, std::optional(1980.0));
        QCOMPARE(whole.health.correctedErrors, std::optional(std::uint64_t(5)));
        QCOMPARE(whole.health.uncorrectedErrors, std::optional(std::uint64_t(1)));
        QVERIFY(whole.health.isLimitedBy(ClockLimit::Heat) && !whole.health.isLimitedBy(ClockLimit::Power));
        const auto consumer =
            parseGpuSample("0, 1, 2, 3, 4, 5, [N/A], [N/A], GPU-1, N/A, [N/A], 300, 2100, 0x8").value();
        QVERIFY(!consumer.health.uncorrectedErrors && !consumer.health.memoryCelsius);
        QVERIFY(consumer.health.isLimitedBy(ClockLimit::Hardware));
        const auto silent = parseGpuSample("3, 412, 143771, [N/A], [N/A], [Not Supported]").value();
        QCOMPARE(silent.utilisation, 0.0);
        QVERIFY(!silent.celsius && !silent.watts);
        QVERIFY(!parseGpuSample("No devices were found").has_value());
    }
};

QTEST_APPLESS_MAIN(TestJobCommand)
#include "tst_job_command.moc"
