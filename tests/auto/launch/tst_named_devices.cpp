#include <QTest>

#include "remote/launch/inventory.h"
#include "remote/launch/named_devices.h"

using namespace trainyard;

namespace {

HostFacts facts()
{
    HostFacts facts;
    for (int gpu = 0; gpu < 3; ++gpu) {
        DeviceFacts device{"H100", (gpu + 1) * qint64(kGiB)};
        device.index = gpu;
        device.uuid = QStringLiteral("GPU-%1f").arg(gpu);
        facts.devices << device;
    }
    return facts;
}

NodeSpec naming(std::vector<std::string> devices)
{
    return {.host = "gpu-03", .devices = std::move(devices)};
}

} // namespace

/// What a specification names against what a preflight has found.
class TestNamedDevices : public QObject {
    Q_OBJECT

private slots:
    void theRanksMayTakeWhatIsNamed()
    {
        const auto some = memoryOf(facts(), naming({"2", "GPU-0"}));
        QCOMPARE(some.devices, (std::vector<Bytes>{3 * kGiB, kGiB}));
        QCOMPARE(memoryOf(facts(), naming({})).devices.size(), std::size_t(3));
    }
    void aDeviceThatIsNotThereIsRefused()
    {
        QVERIFY(haveNamedDevices(facts(), naming({"2", "GPU-0f"}), 0).ok());
        const Status missing = haveNamedDevices(facts(), naming({"0", "7"}), 1);
        QVERIFY(!missing.ok());
        QCOMPARE(missing.error().message, std::string("cluster.nodes[1].devices: gpu-03 has no device 7"));
        QCOMPARE(missing.error().hint, std::string("it has 0 (H100), 1 (H100), 2 (H100)"));
        QVERIFY(haveNamedDevices({}, naming({"7"}), 0).ok()); // no driver's tool, so nobody knows
    }
};

QTEST_APPLESS_MAIN(TestNamedDevices)
#include "tst_named_devices.moc"
