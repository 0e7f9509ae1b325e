#include <QTest>

#include "engine/planner/planned_reading.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/phases/batch_ramp.h"

using namespace trainyard;

/// What a run reads of each data set, and how long steps of a growing batch take together.
class TestPlannedReading : public QObject {
    Q_OBJECT

private slots:
    void countsWhatEveryDataSetGives()
    {
        RunSpec spec;
        spec.dataset.mix = {{"/wiki", 0.7}, {"/books", 0.3}};
        spec.launch.steps = 100; // of 32 sequences
        const auto reading = plannedReading(spec, 128, {1120, 3200});
        QCOMPARE(reading.size(), std::size_t(2));
        QCOMPARE(reading[0].path, std::string("/wiki"));
        QCOMPARE(reading[0].share, 0.7);
        QCOMPARE(reading[0].sequences, std::uint64_t(2240));
        QCOMPARE(*reading[0].epochs, 2.0);
        QCOMPARE(reading[1].tokens, 960.0 * 128);
        QCOMPARE(*reading[1].epochs, 0.3);
        QVERIFY(!plannedReading(spec, 128, {})[0].epochs);
    }

    void isThatOfTheOneDataSet()
    {
        RunSpec spec;
        spec.dataset.path = "/wiki";
        const auto reading = plannedReading(spec, 128, {});
        QCOMPARE(reading.size(), std::size_t(1));
        QCOMPARE(reading[0].sequences, std::uint64_t(3200));
    }

    /// Steps of 2, 2, 4, 6, 8 and 8 sequences: from 1 s for the smallest to 4 s.
    void addsUpTheStepsOfAGrowingBatch()
    {
        RunSpec spec;
        spec.batch = {8, 1, 8, false, {2, 2, 12}};
        spec.launch.steps = 6;
        QCOMPARE(trainingSeconds(spec, 1, 4), 1.0 + 1 + 2 + 3 + 4 + 4);
        spec.batch.ramp = {};
        QCOMPARE(trainingSeconds(spec, 1, 4), 24.0);
    }
};

QTEST_APPLESS_MAIN(TestPlannedReading)
#include "tst_planned_reading.moc"
