#include <QTest>

#include <thread>

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
