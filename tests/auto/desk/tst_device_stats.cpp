#include <QTemporaryDir>
#include <QTest>

#include "app/designer/model/device_choices.h"
#include "app/monitor/model/device_stats.h"
#include "app/runs/recorded_run.h"

using namespace trainyard;

namespace {

RunFacts factsOf(int slotCount)
{
    RunFacts facts;
    facts.spec = RunSpec();
    facts.spec->cluster.nodes = {{.host = "gpu-03", .slotCount = slotCount}};
    facts.spec->layout.data = slotCount;
    facts.hosts = {"gpu-03"};
    return facts;
}

/// Two ranks after a step; GPU 0 has the UUID GPU-a, GPU 1 GPU-b and so on.
RunSeries seriesOf(const std::vector<RankDevice>& ranks, int gpus, const DeviceHealth& health = {})
{
    RunSeries series;
    StepRecord step;
    step.step = 1;
    step.ranks.resize(2);
    series.apply("steps", {{1, 1, {1, 1}, DevicesRecord{{}, ranks}}, {1, 2, {2, 2}, step}});
    for (int gpu = 0; gpu < gpus; ++gpu) {
        DeviceSample sample{gpu, 30 * kGiB, 80 * kGiB, 0.9, 0, 60.0 + gpu, 300.0};
        sample.health = health;
        sample.health.uuid = std::string("GPU-") + char('a' + gpu);
        series.apply("node-0", {{1, std::uint64_t(gpu + 1), {3, 3}, sample}});
    }
    return series;
}

HostReport checkedHost()
{
    HostReport report;
    for (int gpu = 0; gpu < 2; ++gpu) {
        DeviceFacts device{"NVIDIA H100", 80 * qint64(kGiB)};
        device.index = gpu;
        device.uuid = QStringLiteral("GPU-%1f").arg(gpu);
        report.facts.devices << device;
    }
    report.facts.devices[1].users << UsedBy{"anna"};
    return report;
}

} // namespace

/// Which device a rank computes on, what is told of it, and which ones a user may choose.
class TestDeviceStats : public QObject {
    Q_OBJECT

private slots:
    void aRankShowsTheDeviceThatItTook()
    {
        const auto series = seriesOf({{"GPU-c", "H100", 79 * kGiB}, {"GPU-b", "H100", 79 * kGiB}}, 3);
        const auto devices = deviceStats(factsOf(2), series, {});
        QCOMPARE(devices.size(), std::size_t(2));
        QCOMPARE(devices[0].sample->device, 2);
        QCOMPARE(devices[1].sample->device, 1);
        QCOMPARE(devices[0].memory.capacity, Bytes(79 * kGiB));
        QVERIFY2(placeText(devices[0]).contains("gpu-03, device 2"), qPrintable(placeText(devices[0])));
    }
    void withoutItsRecordARankHasTheDeviceOfItsSlot()
    {
        const auto devices = deviceStats(factsOf(2), seriesOf({}, 2), {});
        QCOMPARE(devices[1].sample->device, 1);
    }
    void anInstanceHasNoSampleOfAnotherDevice()
    {
        const auto series = seriesOf({{"MIG-1", "A100 MIG 3g.20gb", 19 * kGiB}, {"MIG-2", "", 0}}, 2);
        const auto devices = deviceStats(factsOf(2), series, {});
        QVERIFY(!devices[0].sample);
        QVERIFY(healthTexts(devices[0]).join(' ').startsWith("A100 MIG 3g.20gb, 19"));
        QCOMPARE(devices[0].memory.capacity, Bytes(19 * kGiB));
    }

    void tellsTheHealthOfADevice()
    {
        const DeviceHealth health{.memoryCelsius = 71,
                                  .limitWatts = 700,
                                  .clockMhz = 1200,
                                  .maxClockMhz = 1980,
                                  .clockLimits = 1U << unsigned(ClockLimit::Heat),
                                  .correctedErrors = 3,
                                  .uncorrectedErrors = 0,
                                  .linkSent = 2e9,
                                  .linkReceived = 2e9,
                                  .linkErrors = 1};
        const auto devices = deviceStats(
            factsOf(2), seriesOf({{"GPU-a", "H100", 79 * kGiB}, {"GPU-b", "", 0}}, 2, health), {});
        const QString text = healthTexts(devices[0]).join("; ").replace(QChar::Nbsp, ' ');
        for (const char* part : {"H100, 79", "memory 71 °C", "300 W of 700 W", "limited by heat",
                                 "ECC errors: 3 corrected, 0 uncorrected", "NVLink: ", "1 error"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
        QCOMPARE(troubleText(*devices[0].sample), QString("throttled by heat"));
        DeviceSample broken = *devices[0].sample;
        broken.health.uncorrectedErrors = 2;
        QCOMPARE(troubleText(broken), QString("2 uncorrected memory errors"));
        QVERIFY(troubleText(DeviceSample()).isEmpty());
    }

    void offersTheGpusThatACheckFound()
    {
        const HostReport host = checkedHost();
        NodeSpec node;
        node.devices = {"1", "5"};
        const auto choices = gpuChoices(node, &host);
        QCOMPARE(choices.size(), std::size_t(3));
        QVERIFY(!choices[0].isChosen && choices[1].isChosen);
        QVERIFY2(choices[1].text.contains("used by anna"), qPrintable(choices[1].text));
        QVERIFY(!choices[2].isThere); // and is named: the user has to correct it
        QCOMPARE(devicesWith(choices, "0", true), (std::vector<std::string>{"0", "1", "5"}));
        QCOMPARE(devicesWith(choices, "5", false), (std::vector<std::string>{"1"}));
        QVERIFY(gpuChoices(node, nullptr)[0].isThere); // nobody has looked
        node.devices = {"GPU-1f"};
        QVERIFY(gpuChoices(node, &host)[1].isChosen);
    }
};

QTEST_APPLESS_MAIN(TestDeviceStats)
#include "tst_device_stats.moc"
