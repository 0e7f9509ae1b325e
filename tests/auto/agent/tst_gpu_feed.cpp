#include <QTest>

#include "remote/agent/sampler/gpu_feed.h"
#include "remote/agent/sampler/nvlink_feed.h"
#include "tests/auto/agent/fake_gpus.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::agent;

namespace {

constexpr std::chrono::milliseconds kInterval{50};

/// The first sample that comes; nothing when none comes in time.
std::optional<DeviceSample> firstSample()
{
    GpuFeed feed(kInterval);
    std::optional<DeviceSample> sample;
    (void)QTest::qWaitFor(
        [&] {
            if (const auto samples = feed.take(); !samples.empty())
                sample = samples.front();
            return sample.has_value();
        },
        kPatienceMs);
    return sample;
}

} // namespace

/// What drivers of different ages tell while a run is active.
class TestGpuFeed : public QObject {
    Q_OBJECT

private slots:
    void asksADriverForWhatItKnows_data()
    {
        QTest::addColumn<FakeGpus::Driver>("driver");
        QTest::addColumn<bool>("hasHealth");
        QTest::addRow("present") << FakeGpus::Driver::Present << true;
        QTest::addRow("earlier") << FakeGpus::Driver::Earlier << true;
        QTest::addRow("old") << FakeGpus::Driver::Old << false;
    }
    void asksADriverForWhatItKnows()
    {
        QFETCH(FakeGpus::Driver, driver);
        QFETCH(bool, hasHealth);
        const FakeGpus gpus(driver);
        const auto sample = firstSample();
        QVERIFY(sample);
        QCOMPARE(sample->device, 1);
        QCOMPARE(sample->watts, std::optional(412.5));
        QCOMPARE(sample->health.uuid, std::string(hasHealth ? "GPU-b" : ""));
        QCOMPARE(sample->health.isLimitedBy(ClockLimit::Heat), hasHealth);
        QCOMPARE(sample->health.uncorrectedErrors,
                 hasHealth ? std::optional(std::uint64_t(1)) : std::nullopt);
    }

    void measuresTheTrafficOfLinks()
    {
        const FakeGpus gpus;
        NvlinkFeed links(kInterval);
        DeviceSample sample;
        sample.device = 1;
        QVERIFY(QTest::qWaitFor(
            [&] {
                links.look();
                links.addTo(sample);
                return sample.health.linkSent && sample.health.linkErrors;
            },
            kPatienceMs));
        QVERIFY(*sample.health.linkSent > 0);
        QCOMPARE(sample.health.linkSent, sample.health.linkReceived);
        QCOMPARE(sample.health.linkErrors, std::optional(std::uint64_t(4)));
        DeviceSample other;
        other.device = 0;
        links.addTo(other);
        QVERIFY(other.health == DeviceHealth());
    }
};

QTEST_GUILESS_MAIN(TestGpuFeed)
#include "tst_gpu_feed.moc"
