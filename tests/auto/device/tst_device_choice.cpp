#include <fstream>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/device/device_choice.h"

using namespace trainyard;

namespace {

using Devices = std::vector<std::string>;

/// Entries "name" or "name=hardware".
DeviceOffer offer(const char* host, const Devices& devices, bool hasPlugin = true)
{
    DeviceOffer offer{host, {}, hasPlugin};
    for (const std::string& entry : devices) {
        const auto sign = entry.find('=');
        offer.devices.push_back(
            {entry.substr(0, sign), sign == std::string::npos ? entry : entry.substr(sign + 1)});
    }
    return offer;
}

Devices namesOf(const Result<DeviceAssignment>& assigned)
{
    Devices names;
    for (const OfferedDevice& device : assigned.value().devices)
        names.push_back(device.name);
    return names;
}

std::string textOf(const Result<DeviceAssignment>& assigned)
{
    return assigned.ok() ? "" : assigned.error().text();
}

std::string whyProcessor(const std::vector<DeviceOffer>& offers)
{
    return assignDevices(DeviceKind::Auto, offers).value().whyProcessor;
}

/// The files of a driver: /dev/nvidia<n>, and /proc/driver/nvidia/gpus/<bus>/information.
class FakeDriver {
public:
    void add(int minor, const QString& bus, const QString& uuid)
    {
        write(QStringLiteral("dev/nvidia%1").arg(minor), {});
        write("proc/driver/nvidia/gpus/" + bus + "/information",
              QStringLiteral(
                  "Model: \t\t NVIDIA H100\nGPU UUID: \t %1\nBus Location: \t %2\nDevice Minor: \t %3\n")
                  .arg(uuid, bus)
                  .arg(minor));
    }
    void write(const QString& path, const QString& text)
    {
        const QString file = m_root.filePath(path);
        QDir().mkpath(QFileInfo(file).path());
        std::ofstream(file.toStdString()) << text.toStdString();
    }
    void hide(int minor) { QFile::remove(m_root.filePath(QStringLiteral("dev/nvidia%1").arg(minor))); }
    std::vector<HostDevice> devices() const { return hostDevices(m_root.path().toStdString()); }

private:
    QTemporaryDir m_root;
};

} // namespace

/// Which device a rank takes.
class TestDeviceChoice : public QObject {
    Q_OBJECT

private slots:
    void readsTheVariableAsCudaDoes_data()
    {
        QTest::addColumn<QString>("variable");
        QTest::addColumn<QString>("devices");
        QTest::addRow("indices") << "2,0,1"
                                 << "2 0 1";
        QTest::addRow("names") << "GPU-8932f937,MIG-4b5c"
                               << "GPU-8932f937 MIG-4b5c";
        QTest::addRow("stops at what CUDA does not take") << "1,-1,0"
                                                          << "1";
        QTest::addRow("none") << ""
                              << "";
    }
    void readsTheVariableAsCudaDoes()
    {
        QFETCH(QString, variable);
        QFETCH(QString, devices);
        QStringList found;
        for (const OfferedDevice& device : visibleDevices(variable.toStdString().c_str(), {}))
            found << QString::fromStdString(device.name);
        QCOMPARE(found.join(' '), devices);
    }

    void countsTheDriversFilesWithoutTheVariable()
    {
        FakeDriver driver;
        for (const char* name : {"nvidia0", "nvidia3", "nvidiactl", "nvidia-uvm", "null"})
            driver.write(QStringLiteral("dev/") + name, {});
        const auto visible = visibleDevices(nullptr, driver.devices());
        QVERIFY(visible == (std::vector<OfferedDevice>{{"0", "nvidia0"}, {"1", "nvidia3"}}));
        QVERIFY(hostDevices("/no/such/folder").empty());
    }
    void knowsDevicesByWhatTheDriverTells()
    {
        FakeDriver driver;
        driver.add(0, "0000:9b:00.0", "GPU-b"); // minors need not follow the bus, but CUDA does
        driver.add(1, "0000:1b:00.0", "GPU-a");
        driver.add(2, "0000:db:00.0", "GPU-????????");
        const auto visible = visibleDevices(nullptr, driver.devices());
        QVERIFY(visible ==
                (std::vector<OfferedDevice>{{"0", "GPU-a"}, {"1", "GPU-b"}, {"2", "0000:db:00.0"}}));
        QVERIFY(visibleDevices("1,GPU-a,7,0", driver.devices()) ==
                (std::vector<OfferedDevice>{{"1", "GPU-b"}, {"GPU-a", "GPU-a"}}));
    }
    /// As a container or a control group of a scheduler does it.
    void aDeviceThatMayNotBeOpenedDoesNotCount()
    {
        FakeDriver driver;
        driver.add(0, "0000:1b:00.0", "GPU-a");
        driver.add(1, "0000:9b:00.0", "GPU-b");
        driver.hide(0);
        QVERIFY(visibleDevices("0", driver.devices()) == (std::vector<OfferedDevice>{{"0", "GPU-b"}}));
    }

    void eachRankTakesTheDeviceOfItsPlaceOnItsHost()
    {
        const Devices two{"0", "1"}, named{"5", "GPU-a", "7"};
        const auto assigned = assignDevices(
            DeviceKind::Cuda, {offer("a", two), offer("b", named), offer("a", two), offer("b", named)});
        QVERIFY(namesOf(assigned) == Devices({"0", "5", "1", "GPU-a"}));
    }
    void ranksThatSeeOneDeviceEachTakeIt()
    {
        // srun --gpus-per-task with control groups: every task calls its own device 0.
        const auto confined = assignDevices(
            DeviceKind::Cuda, {offer("a", {"0=GPU-a"}), offer("a", {"0=GPU-b"}), offer("b", {"0=GPU-c"})});
        QVERIFY(namesOf(confined) == Devices({"0", "0", "0"}));
        const auto instances =
            assignDevices(DeviceKind::Cuda, {offer("a", {"MIG-1"}), offer("a", {"MIG-2"})});
        QVERIFY(namesOf(instances) == Devices({"MIG-1", "MIG-2"}));
        // Two ranks for each half of the host, as with --gpu-bind.
        const auto halves = assignDevices(DeviceKind::Cuda, {offer("a", {"0", "1"}), offer("a", {"0", "1"}),
                                                             offer("a", {"2", "3"}), offer("a", {"2", "3"})});
        QVERIFY(namesOf(halves) == Devices({"0", "1", "2", "3"}));
    }
    void aRankGivesWayToOneThatSeesLess()
    {
        const auto assigned = assignDevices(
            DeviceKind::Cuda, {offer("a", {"0", "1"}), offer("a", {"1", "2"}), offer("a", {"0"})});
        QVERIFY(namesOf(assigned) == Devices({"1", "2", "0"}));
    }
    void twoRanksOnOneDeviceAreRefusedUnlessItIsNamedTwice()
    {
        const auto same = assignDevices(DeviceKind::Cuda, {offer("a", {"0=GPU-a"}), offer("a", {"GPU-a"})});
        QVERIFY2(textOf(same).find("rank 1 would be number 2 on a, which has 1 CUDA device") !=
                     std::string::npos,
                 textOf(same).c_str());
        const auto third =
            assignDevices(DeviceKind::Cuda, {offer("a", {"0"}), offer("a", {"1"}), offer("a", {"1"})});
        QVERIFY2(textOf(third).find("rank 2 on a sees only 1 CUDA device") != std::string::npos,
                 textOf(third).c_str());
        const auto twice = assignDevices(DeviceKind::Cuda, {offer("a", {"0", "0"}), offer("a", {"0", "0"})});
        QVERIFY(namesOf(twice) == Devices({"0", "0"}));
    }

    void eightRanksOnFourDevicesAreRefused()
    {
        const std::vector<DeviceOffer> offers(8, offer("gpu-03", {"0", "1", "2", "3"}));
        const auto assigned = assignDevices(DeviceKind::Cuda, offers);
        QVERIFY(!assigned.ok());
        QCOMPARE(assigned.error().kind, ErrorKind::Refused);
        for (const char* part : {"rank 4", "gpu-03", "4 CUDA devices", "4 slots"})
            QVERIFY2(textOf(assigned).find(part) != std::string::npos, textOf(assigned).c_str());
        QVERIFY(namesOf(assignDevices(DeviceKind::Auto, offers)).empty());
        QCOMPARE(whyProcessor(offers),
                 std::string("rank 4 would be number 5 on gpu-03, which has 4 CUDA devices"));
    }

    void aHostWithoutADeviceOrWithoutThePluginIsNamed()
    {
        const auto none = assignDevices(DeviceKind::Cuda, {offer("a", {"0"}), offer("b", {})});
        QVERIFY2(textOf(none).find("1 of 2 ranks see no CUDA device: b (rank 1)") != std::string::npos,
                 textOf(none).c_str());
        const auto plain = assignDevices(DeviceKind::Cuda, {offer("a", {"0"}, false)});
        QVERIFY2(textOf(plain).find("the engine on a was built without CUDA") != std::string::npos,
                 textOf(plain).c_str());
    }

    void autoSaysWhyItLeadsToTheProcessor()
    {
        QCOMPARE(whyProcessor({offer("a", {"0"}), offer("b", {}), offer("b", {}), offer("c", {})}),
                 std::string("3 of 4 ranks see no CUDA device: b (ranks 1, 2), c (rank 3)"));
        QCOMPARE(whyProcessor({offer("a", {}), offer("a", {})}),
                 std::string("no rank sees a CUDA device on a (ranks 0, 1)"));
        QCOMPARE(whyProcessor({offer("a", {"0"}, false)}),
                 std::string("the engine on a was built without CUDA"));
        QVERIFY(assignDevices(DeviceKind::Auto, {offer("a", {"0"}), offer("b", {})}).value().isLoss);
        QVERIFY(!assignDevices(DeviceKind::Auto, {offer("a", {})}).value().isLoss);
        QCOMPARE(assignDevices(DeviceKind::Cpu, {offer("a", {"0"})}).value().whyProcessor, std::string());
        QCOMPARE(whyProcessor({offer("a", {"0"})}), std::string());
    }
    void namesAFewOfManyHosts()
    {
        std::vector<DeviceOffer> offers;
        for (const char* host : {"a", "b", "c", "d", "e"})
            offers.push_back(offer(host, {}));
        QCOMPARE(whyProcessor(offers), std::string("no rank sees a CUDA device on a (rank 0), b (rank 1), "
                                                   "c (rank 2), and 2 more hosts"));
    }

    void allRanksAreToldTheSame()
    {
        qputenv("CUDA_VISIBLE_DEVICES", "3");
        std::vector<std::string> texts(2);
        runAsThreads(2, [&](ProcessGroup& world) {
            const auto chosen = chooseDevice(DeviceKind::Cuda, world);
            texts[static_cast<std::size_t>(world.rank().value)] =
                chosen.ok() ? "chosen" : chosen.error().text();
        });
        QCOMPARE(texts[0], texts[1]);
        QVERIFY(texts[0] != "chosen"); // two ranks, one device, and beside this test there is no plug-in
        runAsThreads(2, [&](ProcessGroup& world) {
            texts[static_cast<std::size_t>(world.rank().value)] =
                chooseDevice(DeviceKind::Auto, world).value();
        });
        QCOMPARE(texts[0] + texts[1], std::string());
    }
};

QTEST_APPLESS_MAIN(TestDeviceChoice)
#include "tst_device_choice.moc"
