#include <vector>

#include <QTest>

#include "engine/parallel/pipeline/pass_times.h"

using namespace trainyard;

namespace {

/// Everything that it is given takes a second more than what came before, counted from mark to mark.
class CountingTimer final : public DeviceTimer {
public:
    std::unique_ptr<DeviceMark> mark() override
    {
        ++marks;
        m_now += marks;
        return std::make_unique<Mark>(*this, m_now);
    }

    int marks = 0;
    mutable int waits = 0;

private:
    struct Mark final : DeviceMark {
        Mark(const CountingTimer& itsTimer, double at) : timer(itsTimer), time(at) {}
        bool isReached() const override { return timer.waits > 0; }
        void wait() const override { ++timer.waits; }
        double secondsSince(const DeviceMark& earlier) const override
        {
            return isReached() ? time - static_cast<const Mark&>(earlier).time : -1;
        }
        const CountingTimer& timer;
        const double time;
    };

    double m_now = 0;
};

void pass(PassTimes& times, PipelineActionKind kind, int microBatch)
{
    const PassTimes::Scope scope(&times, {kind, microBatch, 0});
}

} // namespace

class TestPassTimes : public QObject {
    Q_OBJECT

private slots:
    void spansOfADeviceAreItsOwn()
    {
        CountingTimer device;
        PassTimes times(&device);
        times.expect();
        times.start();                                      // 1
        pass(times, PipelineActionKind::Forward, 0);        // 3, 6
        pass(times, PipelineActionKind::SendActivation, 0); // no work
        pass(times, PipelineActionKind::Backward, 0);       // 10, 15
        const std::vector<TracedSpan> expected{{TracedWork::Forward, 0, 0, 2, 5},
                                               {TracedWork::Backward, 0, 0, 9, 14}};
        QVERIFY(times.take() == expected);
    }

    // A pass that waited could hang: sends of a device end when their receiver comes, and that one may wait
    // for what this rank does next.
    void nothingWaitsBeforeTheStepIsOver()
    {
        CountingTimer device;
        PassTimes times(&device);
        times.expect();
        times.start();
        for (int microBatch = 0; microBatch < 4; ++microBatch)
            pass(times, PipelineActionKind::Forward, microBatch);
        QCOMPARE(device.waits, 0);
        QCOMPARE(times.take().size(), std::size_t(4));
        QCOMPARE(device.waits, 1);
    }

    void aStepThatNobodyAskedForCostsTheDeviceNothing()
    {
        CountingTimer device;
        PassTimes times(&device);
        times.start();
        pass(times, PipelineActionKind::Forward, 0);
        QVERIFY(times.take().empty());
        QCOMPARE(device.marks, 0);
        QCOMPARE(device.waits, 0);
    }
};

QTEST_APPLESS_MAIN(TestPassTimes)
#include "tst_pass_times.moc"
