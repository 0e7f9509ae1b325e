#include <algorithm>
#include <fstream>

#include <QTemporaryDir>
#include <QTest>

#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/device/device_choice.h"

using namespace trainyard;

namespace {

using Devices = std::vector<std::string>;

DeviceOffer offer(const char* host, Devices devices, bool hasPlugin = true)
{
    return {host, std::move(devices), hasPlugin};
}

std::string textOf(const Result<Devices>& assigned)
{
    return assigned.ok() ? "" : assigned.error().text();
}

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
        for (const std::string& device : visibleDevices(variable.toStdString().c_str()))
            found << QString::fromStdString(device);
        QCOMPARE(found.join(' '), devices);
    }

    void countsTheDriversFilesWithoutTheVariable()
    {
        QTemporaryDir folder;
        for (const char* name : {"nvidia0", "nvidia3", "nvidiactl", "nvidia-uvm", "null"})
            std::ofstream(folder.filePath(name).toStdString()) << "";
        QVERIFY(visibleDevices(nullptr, folder.path().toStdString()) == Devices({"0", "1"}));
        QVERIFY(visibleDevices(nullptr, "/no/such/folder").empty());
    }

    void eachRankTakesTheDeviceOfItsPlaceOnItsHost()
    {
        const Devices two{"0", "1"}, named{"5", "GPU-a", "7"};
        const auto assigned = assignDevices(
            DeviceKind::Cuda, {offer("a", two), offer("b", named), offer("a", two), offer("b", named)});
        QVERIFY(assigned.value() == Devices({"0", "5", "1", "GPU-a"}));
    }

    void eightRanksOnFourDevicesAreRefused()
    {
        const std::vector<DeviceOffer> offers(8, offer("gpu-03", {"0", "1", "2", "3"}));
        const auto assigned = assignDevices(DeviceKind::Cuda, offers);
        QVERIFY(!assigned.ok());
        QCOMPARE(assigned.error().kind, ErrorKind::Refused);
        for (const char* part : {"rank 4", "gpu-03", "4 CUDA devices", "4 slots"})
            QVERIFY2(textOf(assigned).find(part) != std::string::npos, textOf(assigned).c_str());
        QVERIFY(assignDevices(DeviceKind::Auto, offers).value().empty());
    }

    void aHostWithoutADeviceOrWithoutThePluginIsNamed()
    {
        const auto none = assignDevices(DeviceKind::Cuda, {offer("a", {"0"}), offer("b", {})});
        QVERIFY2(textOf(none).find("b has no CUDA device for rank 1") != std::string::npos,
                 textOf(none).c_str());
        const auto plain = assignDevices(DeviceKind::Cuda, {offer("a", {"0"}, false)});
        QVERIFY2(textOf(plain).find("the engine on a was built without CUDA") != std::string::npos,
                 textOf(plain).c_str());
        QVERIFY(assignDevices(DeviceKind::Auto, {offer("a", {"0"}), offer("b", {})}).value().empty());
        QVERIFY(assignDevices(DeviceKind::Auto, {offer("a", {"0"}, false)}).value().empty());
        QVERIFY(assignDevices(DeviceKind::Cpu, {offer("a", {"0"})}).value().empty());
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
