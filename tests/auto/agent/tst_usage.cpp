#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/process.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/sampler/gpu_instances.h"
#include "remote/agent/sampler/host_load.h"
#include "remote/agent/sampler/nvlink_feed.h"
#include "remote/agent/usage/device_claim.h"
#include "remote/agent/usage/free_check.h"
#include "remote/agent/usage/machine_usage.h"
#include "remote/agent/usage/process_load.h"
#include "tests/auto/agent/fake_gpus.h"
#include "tests/support/patience.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;

namespace {

constexpr const char* kStat =
    "4711 (my (odd) name) S 1 4711 4711 0 -1 4194560 900 0 0 0 250 50 0 0 20 0 7 0 "
    "123456 1000000 2000 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 3 0 0 0 0 0\n";

GpuFacts gpu(int index, const std::string& uuid, Bytes used = 0, double utilisation = 0)
{
    GpuFacts facts;
    facts.index = index;
    facts.uuid = uuid;
    facts.memoryTotal = 80 * kGiB;
    facts.memoryUsed = used;
    facts.utilisation = utilisation;
    return facts;
}

DeviceUser anna(const std::string& device)
{
    return {device, 4711, "anna", {}, "python", 31949 * kMiB};
}

/// A process of this user with further variables; ends with this object.
class Child {
public:
    explicit Child(const std::vector<std::string>& command, const Environment& further = {})
    {
        ProcessSpec spec;
        spec.arguments = command;
        spec.environment = environmentWithout({});
        spec.environment.insert(spec.environment.end(), further.begin(), further.end());
        m_pid = startProcess(spec).value();
    }
    ~Child()
    {
        killGroup(m_pid);
        ::waitpid(m_pid, nullptr, WNOHANG);
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;
    pid_t pid() const { return m_pid; }

private:
    pid_t m_pid = 0;
};

/// One that sleeps.
class Sleeper : public Child {
public:
    explicit Sleeper(const Environment& further = {}) : Child({"sleep", "300"}, further) {}
};

std::string ownName()
{
    return userNameOf(::geteuid());
}

} // namespace

/// Who uses a machine, and what follows for a run.
class TestUsage : public QObject {
    Q_OBJECT

private slots:
    void readsAProcess()
    {
        const auto load = parseProcessLoad(4711, kStat, 4096);
        QVERIFY(load);
        QCOMPARE(load->name, std::string("my (odd) name"));
        QCOMPARE(load->ticks, std::uint64_t(300));
        QCOMPARE(load->threads, 7);
        QCOMPARE(load->id.startTime, std::uint64_t(123456));
        QCOMPARE(load->resident, Bytes(2000 * 4096));
    }
    void readsNoZombieAndNoNonsense_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addRow("zombie") << QByteArray(kStat).replace(" S 1 ", " Z 1 ");
        QTest::addRow("cut") << QByteArray(kStat).left(60);
        QTest::addRow("empty") << QByteArray();
        QTest::addRow("no name") << QByteArray("4711 S 1");
    }
    void readsNoZombieAndNoNonsense()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!parseProcessLoad(4711, text.toStdString(), 4096));
    }

    void findsHiddenProcesses()
    {
        QVERIFY(hidesOthers("sysfs /sys sysfs rw 0 0\nproc /proc proc rw,nosuid,hidepid=2 0 0\n"));
        QVERIFY(hidesOthers("proc /proc proc rw,hidepid=invisible 0 0\n"));
        QVERIFY(!hidesOthers("proc /proc proc rw,hidepid=0 0 0\n"));
        QVERIFY(!hidesOthers("proc /proc proc rw 0 0\nproc /srv/proc proc rw,hidepid=2 0 0\n"));
    }

    void readsAProcessOnAGpu()
    {
        const auto process = parseGpuProcess("GPU-1f, 4711, 31949, /opt/a, b/python3");
        QVERIFY(process);
        QCOMPARE(process->uuid, std::string("GPU-1f"));
        QCOMPARE(process->pid, 4711);
        QCOMPARE(process->memory, Bytes(31949) * kMiB);
        QCOMPARE(process->name, std::string("/opt/a,b/python3"));
        QCOMPARE(parseGpuProcess("GPU-1f, 4711, [N/A], [Not Found]")->memory, Bytes(0));
        for (const char* line : {"", "No running processes found", "GPU-1f, x, 1, a", "GPU-1f, 0, 1, a",
                                 ", 4711, 1, a", "GPU-1f, 4711"})
            QVERIFY2(!parseGpuProcess(line), line);
    }

    void namesWhoUsesADevice()
    {
        QCOMPARE(userOf(gpu(0, "GPU-a"), {anna("GPU-a")}), std::string("anna (python, 31.2 GiB)"));
        QCOMPARE(userOf(gpu(0, "GPU-a"), {anna("GPU-b")}), std::string());
        QCOMPARE(userOf(gpu(0, "GPU-a"), {{"GPU-a", 12, "me", "r-1", "worker", 0}}),
                 std::string("your run r-1"));
        QCOMPARE(userOf(gpu(0, "GPU-a"), {{"GPU-a", 12, "", "", "python", 0}}),
                 std::string("process 12 (python)"));
        QCOMPARE(userOf(gpu(0, "GPU-a", 500 * kMiB, 0.05), {}), std::string()); // a display
        QVERIFY(QString::fromStdString(userOf(gpu(0, "GPU-a", 40 * kGiB), {})).contains("not visible"));
        QVERIFY(!userOf(gpu(0, "GPU-a", 0, 0.9), {}).empty());
    }

    void needsFreeDevicesOrCores_data()
    {
        QTest::addColumn<int>("device");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<bool>("annaOnFirst");
        QTest::addColumn<double>("busyCores");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, DeviceKind device, int ranks, bool anna, double cores,
                            const char* reason) {
            QTest::addRow("%s", name) << static_cast<int>(device) << ranks << anna << cores << reason;
        };
        row("one of two is enough", DeviceKind::Auto, 1, true, 0, "");
        row("both are needed", DeviceKind::Auto, 2, true, 0,
            "1 of 2 GPUs are free and 2 are needed: gpu 0 is used by anna (python, 31.2 GiB)");
        row("both are free", DeviceKind::Cuda, 2, false, 16, "");
        row("more than there are", DeviceKind::Cuda, 3, true, 16, ""); // the start says that better
        row("cores instead of devices", DeviceKind::Auto, 3, true, 0, "");
        row("cores in use", DeviceKind::Cpu, 8, false, 12,
            "4.0 of 16 cores are free and 16 are needed: bert uses 12.0 cores");
        row("cores are enough", DeviceKind::Cpu, 2, false, 12, "");
        row("more ranks than cores", DeviceKind::Cpu, 64, false, 0.2, "");
        row("all cores beside a daemon", DeviceKind::Cpu, 8, false, 0.6, "");
        row("all cores beside a person", DeviceKind::Cpu, 8, false, 2.5,
            "13.5 of 16 cores are free and 16 are needed: bert uses 2.5 cores");
    }
    void needsFreeDevicesOrCores()
    {
        QFETCH(int, device);
        QFETCH(int, ranks);
        QFETCH(bool, annaOnFirst);
        QFETCH(double, busyCores);
        MachineUsage usage;
        if (annaOnFirst)
            usage.devices = {anna("GPU-a")};
        if (busyCores > 0)
            usage.occupants = {{"bert", {}, busyCores, kGiB}};
        usage.busyCores = busyCores;
        const NodeNeed need{static_cast<DeviceKind>(device), ranks, 2, {}};
        QTEST(QString::fromStdString(whyNotFree(need, 16, {gpu(0, "GPU-a"), gpu(1, "GPU-b")}, usage)),
              "reason");
    }

    void coresOfOthersThatWeMayNotUseDoNotCount()
    {
        MachineUsage usage;
        usage.occupants = {{"bert", {}, 10, kGiB}};
        usage.busyCores = 0.2;
        const NodeNeed need{DeviceKind::Cpu, 4, 2, {}};
        QCOMPARE(whyNotFree(need, 8, {}, usage), std::string());
        usage.busyCores = 3;
        QCOMPARE(whyNotFree(need, 8, {}, usage),
                 std::string("5.0 of 8 cores are free and 8 are needed: bert uses 10.0 cores"));
    }
    void countsTheWorkOfSomeProcessors()
    {
        const char* stat = "cpu  60 0 0 40 0 0 0 0 0 0\ncpu0 10 1 2 30 4 5 6 7 8 9\n"
                           "cpu1 20 0 0 10 0 0 0 0 0 0\ncpu10 400 0 0 0 0 0 0 0 0 0\nintr 1 2\n";
        QCOMPARE(busyTicksOf(stat, {0}), std::optional<std::uint64_t>(31)); // not idle, iowait and guests
        QCOMPARE(busyTicksOf(stat, {0, 1}), std::optional<std::uint64_t>(51));
        QCOMPARE(busyTicksOf(stat, {0, 2}), std::optional<std::uint64_t>());
        QCOMPARE(busyTicksOf("", {0}), std::optional<std::uint64_t>());
    }

    void choosesFreeDevices()
    {
        const std::vector<GpuFacts> gpus{gpu(0, "GPU-a"), gpu(1, "GPU-b"), gpu(2, "GPU-c")};
        const auto first = chooseDevices({2}, gpus, {}).value();
        QCOMPARE(first.devices, (std::vector<std::string>{"GPU-a", "GPU-b"}));
        QVERIFY(first.isUsual);
        const auto others = chooseDevices({2}, gpus, {anna("GPU-a")}).value();
        QCOMPARE(others.devices, (std::vector<std::string>{"GPU-b", "GPU-c"}));
        QVERIFY(!others.isUsual);
        QVERIFY(chooseDevices({3}, gpus, {anna("GPU-a")})->isUsual); // too few are free
        QVERIFY(chooseDevices({4}, gpus, {})->devices.empty());      // the ranks say what they lack
        std::vector<GpuFacts> cut = gpus;
        cut[1].mig = true; // and nobody tells its instances
        QVERIFY(chooseDevices({1}, cut, {anna("GPU-a")})->devices.empty());
    }
    void choosesAmongTheDevicesThatTheNodeNames()
    {
        const std::vector<GpuFacts> gpus{gpu(0, "GPU-a1"), gpu(1, "GPU-b1"), gpu(2, "GPU-c1")};
        const auto chosen = chooseDevices({2, {"2", "GPU-a"}}, gpus, {}).value();
        QCOMPARE(chosen.devices, (std::vector<std::string>{"GPU-c1", "GPU-a1"}));
        QVERIFY(!chosen.isUsual);
        QCOMPARE(chooseDevices({1, {"0", "1"}}, gpus, {anna("GPU-a1")})->devices,
                 (std::vector<std::string>{"GPU-b1"}));
        const auto missing = chooseDevices({2, {"0", "7"}}, gpus, {});
        QVERIFY(!missing.ok());
        QVERIFY2(missing.error().message.find("has 1 of the devices 0, 7") != std::string::npos,
                 missing.error().message.c_str());
    }
    void anInstanceIsADeviceOfItsOwn()
    {
        std::vector<GpuFacts> gpus{gpu(0, "GPU-a"), gpu(1, "GPU-b")};
        gpus[1].mig = true;
        addInstances("GPU 0: NVIDIA A100 (UUID: GPU-a)\n"
                     "GPU 1: NVIDIA A100 (UUID: GPU-b)\n"
                     "  MIG 3g.20gb     Device  0: (UUID: MIG-1)\n"
                     "  MIG 1g.5gb+me   Device  1: (UUID: MIG-2)\n",
                     gpus);
        addInstanceMemory(
            "<gpu id=\"00000000:9B:00.0\"><uuid>GPU-b</uuid><fb_memory_usage><total>40536 MiB</total>"
            "</fb_memory_usage><mig_devices><mig_device><index>0</index><fb_memory_usage>"
            "<total>19968 MiB</total><used>37 MiB</used></fb_memory_usage></mig_device></mig_devices>"
            "</gpu>",
            gpus);
        const auto devices = computeDevices(gpus);
        QCOMPARE(devices.size(), std::size_t(3));
        QCOMPARE(devices[1].uuid, std::string("MIG-1"));
        QCOMPARE(devices[1].profile, std::string("3g.20gb"));
        QCOMPARE(devices[1].memoryTotal, Bytes(19968) * kMiB);
        QCOMPARE(devices[2].memoryTotal, Bytes(5'000'000'000)); // as its profile says
        QCOMPARE(chooseDevices({2}, gpus, {anna("MIG-1")})->devices,
                 (std::vector<std::string>{"GPU-a", "MIG-2"}));
        QVERIFY(!chooseDevices({1}, gpus, {})->isUsual); // CUDA shows one instance of a GPU only
        gpus.push_back(gpu(2, "GPU-c"));
        QCOMPARE(chooseDevices({3}, gpus, {})->devices,
                 (std::vector<std::string>{"GPU-a", "MIG-1", "GPU-c"}));
        QCOMPARE(chooseDevices({2, {"1"}}, gpus, {})->devices, (std::vector<std::string>{"MIG-1", "MIG-2"}));
    }
    void needsOfNodesAreOneWord()
    {
        const std::vector<DeviceNeed> needs{{2, {}}, {0, {}}, {2, {"0", "MIG-5f2a"}}};
        QCOMPARE(textOf(needs), std::string("2,0,2:0+MIG-5f2a"));
        QVERIFY(parseDeviceNeeds(textOf(needs)).value() == needs);
        for (const char* wrong : {"", "two", "2:", "2:0+", "-1", "1:0;reboot"})
            QVERIFY2(!parseDeviceNeeds(wrong).ok(), wrong);
        QCOMPARE(daemonNumber({"orted", "-mca", "ess_base_vpid", "2", "-mca", "x", "3"}), std::size_t(2));
        QCOMPARE(daemonNumber({"sleep", "1"}), std::size_t(0));
    }
    void countsTheBytesOfLinks()
    {
        const auto traffic = parseLinkCounters("GPU 0: NVIDIA A100 (UUID: GPU-a)\n"
                                               "\t Link 0: Data Tx: 100 KiB\n\t Link 0: Data Rx: 200 KiB\n"
                                               "\t Link 1: Data Tx: 10 KiB\n\t Link 1: Data Rx: 20 KiB\n"
                                               "GPU 1: NVIDIA A100 (UUID: GPU-b)\n");
        QVERIFY(traffic == (std::map<int, LinkCounters>{{0, {110 * kKiB, 220 * kKiB, 0}}}));
        const auto errors =
            parseLinkCounters("GPU 3: x\n\t Link 0: Replay Errors: 1\n\t Link 0: Recovery Errors: 0\n"
                              "\t Link 0: CRC Errors: 2\n\t Link 0: Symbol Errors: 9\n");
        QCOMPARE(errors.at(3).errors, std::uint64_t(3));
        QVERIFY(parseLinkCounters("NVLink is not supported\n").empty());
    }

    void findsOwnersAndRuns()
    {
        const FakeGpus gpus;
        const Sleeper stranger;
        const Sleeper rank({RunFolder::markerOf("r-1")});
        const Sleeper starting(
            {RunFolder::markerOf("r-2"), std::string(RunFolder::kDevicesVariable) + "=GPU-b"});
        QVERIFY(gpus.show({"GPU-a, " + std::to_string(stranger.pid()) + ", 100, /bin/sleep",
                           "GPU-a, " + std::to_string(rank.pid()) + ", 200, /bin/sleep"}));
        const auto users = deviceUsers(processLoads(), {});
        QCOMPARE(users.size(), std::size_t(3));
        QCOMPARE(textOf(users[0]), ownName() + " (sleep, 100 MiB)");
        QCOMPARE(textOf(users[1]), std::string("your run r-1 (200 MiB)"));
        QCOMPARE(users[2].device, std::string("GPU-b")); // taken, though nothing of it is used yet
        QCOMPARE(textOf(users[2]), std::string("your run r-2"));
        QCOMPARE(deviceUsers(processLoads(), "r-1").size(), std::size_t(2));
    }

    void aClaimIsSeenByTheNextRun()
    {
        const FakeGpus gpus;
        QTemporaryDir root;
        const auto first = DeviceClaim::take(root.path().toStdString(), "r-1", {1})->environment();
        QCOMPARE(first, (Environment{"TRAINYARD_DEVICES=GPU-a"}));
        Environment marked = first;
        marked.push_back(RunFolder::markerOf("r-1"));
        const Sleeper rank(marked);
        QCOMPARE(DeviceClaim::take(root.path().toStdString(), "r-2", {1})->environment(),
                 (Environment{"TRAINYARD_DEVICES=GPU-b", "CUDA_VISIBLE_DEVICES=GPU-b"}));
        QCOMPARE(DeviceClaim::take(root.path().toStdString(), "r-1", {1})->environment(), first);
        qputenv("CUDA_VISIBLE_DEVICES", "1"); // somebody has chosen
        QVERIFY(DeviceClaim::take(root.path().toStdString(), "r-2", {1})->environment().empty());
        // Unless the run names its devices.
        QCOMPARE(DeviceClaim::take(root.path().toStdString(), "r-2", {1, {"1"}})->environment(),
                 (Environment{"TRAINYARD_DEVICES=GPU-b", "CUDA_VISIBLE_DEVICES=GPU-b"}));
        qunsetenv("CUDA_VISIBLE_DEVICES");
    }

    void measuresAProcessThatComputes()
    {
        const Child busy({"sh", "-c", "while :; do :; done"}, {RunFolder::markerOf("r-busy")});
        const auto coresOf = [](const MachineUsage& usage) {
            const auto found = std::ranges::find(usage.occupants, "r-busy", &Occupant::run);
            return found == usage.occupants.end() ? 0.0 : found->cores;
        };
        MachineUsage usage;
        // Others may leave it little of a processor for a while.
        QVERIFY(QTest::qWaitFor([&] { return coresOf(usage = UsageMeter().read()) > 0.2; }, kPatienceMs));
        QVERIFY(coresOf(usage) < 1.5);
        QVERIFY(usage.busyCores > 0.2);
        QCOMPARE(std::ranges::find(usage.occupants, "r-busy", &Occupant::run)->user, ownName());
        QCOMPARE(coresOf(UsageMeter().read("r-busy")), 0.0);
    }
    void namesUsers()
    {
        QCOMPARE(userNameOf(0), std::string("root"));
        QCOMPARE(userNameOf(987654321), std::string("user 987654321"));
    }
};

QTEST_GUILESS_MAIN(TestUsage)
#include "tst_usage.moc"
