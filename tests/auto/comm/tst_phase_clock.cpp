#include <QTest>

#include <thread>
#include <vector>

#include "engine/comm/phase_clock.h"

using namespace trainyard;

namespace {

/// Goes on when it is told to.
class HandClock final : public Clock {
public:
    Instant now() const override { return {m_ns, m_ns}; }
    void pass(int seconds) { m_ns += seconds * std::int64_t{1'000'000'000}; }

private:
    std::int64_t m_ns = 0;
};

/// A device that does what it is told when the test lets it: marks know the time that it then is.
class HandTimer final : public DeviceTimer {
public:
    std::unique_ptr<DeviceMark> mark() override
    {
        m_reachedAt.push_back(-1);
        return std::make_unique<Mark>(*this, m_reachedAt.size() - 1);
    }
    /// Works for so long on what it was given up to the next mark.
    void reachNext(int seconds)
    {
        m_now += seconds;
        m_reachedAt.at(m_reached++) = m_now;
    }

private:
    struct Mark final : DeviceMark {
        Mark(const HandTimer& itsTimer, std::size_t itsNumber) : timer(itsTimer), number(itsNumber) {}
        bool isReached() const override { return timer.m_reachedAt[number] >= 0; }
        void wait() const override { QFAIL("nothing may wait for the device"); }
        double secondsSince(const DeviceMark& earlier) const override
        {
            return timer.m_reachedAt[number] - timer.m_reachedAt[static_cast<const Mark&>(earlier).number];
        }
        const HandTimer& timer;
        const std::size_t number;
    };

    std::vector<double> m_reachedAt; // by mark; below 0: not yet
    std::size_t m_reached = 0;
    double m_now = 0;
};

double of(const SecondsByPhase& seconds, StepPhase phase)
{
    return seconds[std::size_t(phase)];
}

} // namespace

class TestPhaseClock : public QObject {
    Q_OBJECT

private slots:
    void timeInAScopeCountsForItsPhaseAlone()
    {
        HandClock time;
        PhaseClock clock(nullptr, time);
        clock.enter(StepPhase::Backward);
        time.pass(1);
        {
            const PhaseScope reduce(StepPhase::Reduce);
            time.pass(2);
            const PhaseScope tensor(StepPhase::Tensor);
            time.pass(4);
        }
        time.pass(8);
        const SecondsByPhase seconds = clock.finish();
        QCOMPARE(of(seconds, StepPhase::Backward), 9.0);
        QCOMPARE(of(seconds, StepPhase::Reduce), 2.0);
        QCOMPARE(of(seconds, StepPhase::Tensor), 4.0);
    }

    void timeOfADeviceIsTheDevices()
    {
        HandClock time;
        HandTimer device;
        PhaseClock clock(nullptr, time, &device);
        clock.enter(StepPhase::Forward);
        {
            const PhaseScope tensor(StepPhase::Tensor);
        }
        clock.enter(StepPhase::Optimizer);
        time.pass(100);                           // the host waits, for nothing that counts
        for (const int seconds : {0, 1, 2, 4, 8}) // from the clock's start to the optimizer's
            device.reachNext(seconds);
        const SecondsByPhase seconds = clock.finish();
        QCOMPARE(of(seconds, StepPhase::Other), 1.0);
        QCOMPARE(of(seconds, StepPhase::Forward), 2.0 + 8.0);
        QCOMPARE(of(seconds, StepPhase::Tensor), 4.0);
        QCOMPARE(of(seconds, StepPhase::Optimizer), 0.0);
    }

    void whatTheDeviceHasNotDoneCountsInTheNextStep()
    {
        HandClock time;
        HandTimer device;
        PhaseClock clock(nullptr, time, &device);
        clock.enter(StepPhase::Optimizer);
        device.reachNext(0);
        device.reachNext(0);
        QCOMPARE(of(clock.finish(), StepPhase::Optimizer), 0.0); // under way
        clock.enter(StepPhase::Forward);
        clock.enter(StepPhase::Reduce);
        for (const int seconds : {16, 1, 2})
            device.reachNext(seconds);
        const SecondsByPhase seconds = clock.finish();
        QCOMPARE(of(seconds, StepPhase::Optimizer), 16.0);
        QCOMPARE(of(seconds, StepPhase::Other), 1.0);
        QCOMPARE(of(seconds, StepPhase::Forward), 2.0);
        QCOMPARE(of(seconds, StepPhase::Reduce), 0.0);
    }

    void aScopeOfAnotherThreadIsNotCounted()
    {
        HandClock time;
        PhaseClock clock(nullptr, time);
        clock.enter(StepPhase::Forward);
        std::thread([&] {
            const PhaseScope scope(StepPhase::Tensor);
            time.pass(1);
        }).join();
        const SecondsByPhase seconds = clock.finish();
        QCOMPARE(of(seconds, StepPhase::Tensor), 0.0);
        QCOMPARE(of(seconds, StepPhase::Forward), 1.0);
    }

    void aScopeWithoutClockDoesNothing()
    {
        HandClock time;
        {
            PhaseClock clock(nullptr, time);
            clock.enter(StepPhase::Forward);
        }
        const PhaseScope scope(StepPhase::Tensor); // of no clock
        PhaseClock clock(nullptr, time);
        clock.enter(StepPhase::Forward);
        time.pass(1);
        QCOMPARE(of(clock.finish(), StepPhase::Forward), 1.0);
    }
};

QTEST_GUILESS_MAIN(TestPhaseClock)
#include "tst_phase_clock.moc"
