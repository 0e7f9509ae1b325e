#include <QTest>

#include <numeric>

#include "engine/planner/time/common_causes.h"

using namespace trainyard;

namespace {

template <std::size_t N>
std::array<double, N> powersOfTwo()
{
    std::array<double, N> values{};
    for (std::size_t i = 0; i < N; ++i)
        values[i] = double(1 << i); // no two sums of some of them are equal
    return values;
}

double of(const TimeByCommonCause& time, CommonCause cause)
{
    return time[std::size_t(cause)];
}

double planned(const TimeByCause& time, std::initializer_list<StepCause> causes)
{
    double seconds = 0;
    for (const StepCause cause : causes)
        seconds += time[std::size_t(cause)];
    return seconds;
}

} // namespace

class TestCommonCauses : public QObject {
    Q_OBJECT

private slots:
    void noTimeIsLost()
    {
        const auto plan = powersOfTwo<kStepCauses>();
        const auto measurement = powersOfTwo<kStepPhases>();
        const auto total = [](const auto& seconds) {
            return std::accumulate(seconds.begin(), seconds.end(), 0.0);
        };
        QCOMPARE(total(byCommonCause(plan)), total(plan));
        QCOMPARE(total(byCommonCause(measurement)), total(measurement));
    }

    void aPlanIsGathered()
    {
        const auto plan = powersOfTwo<kStepCauses>();
        const TimeByCommonCause common = byCommonCause(plan);
        QCOMPARE(of(common, CommonCause::Compute),
                 planned(plan, {StepCause::Products, StepCause::Traffic, StepCause::Launches,
                                StepCause::Recompute, StepCause::Optimizer}));
        QCOMPARE(of(common, CommonCause::Tensor),
                 planned(plan, {StepCause::Tensor, StepCause::Context, StepCause::Experts}));
        QCOMPARE(of(common, CommonCause::DataParallel),
                 planned(plan, {StepCause::Gathers, StepCause::Reductions}));
        QCOMPARE(of(common, CommonCause::Pipeline), planned(plan, {StepCause::Transfers}));
        QCOMPARE(of(common, CommonCause::Bubble), planned(plan, {StepCause::Bubble}));
        QCOMPARE(of(common, CommonCause::Input), 0.0);
    }

    void aMeasurementIsGathered()
    {
        SecondsByPhase measured{};
        measured[std::size_t(StepPhase::Forward)] = 1;
        measured[std::size_t(StepPhase::Backward)] = 2;
        measured[std::size_t(StepPhase::Reduce)] = 4;
        measured[std::size_t(StepPhase::Input)] = 8;
        const TimeByCommonCause common = byCommonCause(measured);
        QCOMPARE(of(common, CommonCause::Compute), 3.0);
        QCOMPARE(of(common, CommonCause::DataParallel), 4.0);
        QCOMPARE(of(common, CommonCause::Input), 8.0);
    }
};

QTEST_GUILESS_MAIN(TestCommonCauses)
#include "tst_common_causes.moc"
