#include <QTest>

#include "engine/planner/evaluation_schedule.h"

using namespace trainyard;

/// By hand: a batch of evaluation takes 0.4 of a step, so 20 steps pay for one at 2 %.
class TestEvaluationSchedule : public QObject {
    Q_OBJECT

private slots:
    void costsAtMostTwoPercent_data()
    {
        QTest::addColumn<int>("steps");
        QTest::addColumn<qint64>("everySteps");
        QTest::addColumn<qint64>("batches");
        QTest::addColumn<qint64>("evaluations");
        QTest::addRow("long") << 100'000 << qint64(160) << qint64(8) << qint64(625);
        QTest::addRow("not a multiple") << 99'999 << qint64(161) << qint64(8) << qint64(622);
        QTest::addRow("ten evaluations") << 1000 << qint64(100) << qint64(5) << qint64(10);
        QTest::addRow("seven of two batches") << 300 << qint64(43) << qint64(2) << qint64(7);
        QTest::addRow("fewer") << 100 << qint64(20) << qint64(1) << qint64(5);
        QTest::addRow("one") << 20 << qint64(20) << qint64(1) << qint64(1);
    }
    void costsAtMostTwoPercent()
    {
        QFETCH(int, steps);
        RunSpec spec;
        spec.launch.steps = steps;
        const EvaluationSchedule schedule = evaluationSchedule(spec, 1 << 20);
        QTEST(qint64(schedule.everySteps), "everySteps");
        QTEST(qint64(schedule.batches), "batches");
        QTEST(qint64(schedule.evaluations()), "evaluations");
        QCOMPARE(schedule.rows, std::uint64_t(schedule.batches * spec.batch.global));
        QVERIFY(schedule.costShare() <= 0.02);
        std::int64_t due = 0;
        for (std::int64_t step = 0; step <= steps; ++step)
            due += schedule.isDue(step);
        QCOMPARE(due, schedule.evaluations());
        QVERIFY(schedule.isDue(steps) && !schedule.isDue(0));
    }

    void evaluatesATinyRunOnceAtItsEnd()
    {
        RunSpec spec;
        spec.launch.steps = 3;
        const EvaluationSchedule schedule = evaluationSchedule(spec, 1000);
        QCOMPARE(schedule.evaluations(), std::int64_t(1));
        QVERIFY(!schedule.isDue(2) && schedule.isDue(3));
    }

    void keepsToWhatIsAskedFor()
    {
        RunSpec spec;
        spec.launch.steps = 25;
        spec.evaluation.everySteps = 10;
        const EvaluationSchedule schedule = evaluationSchedule(spec, 70);
        QCOMPARE(schedule.batches, std::int64_t(3)); // 32 + 32 + 6 rows
        QCOMPARE(schedule.rows, std::uint64_t(70));
        QVERIFY(schedule.isDue(10) && schedule.isDue(20) && schedule.isDue(25) && !schedule.isDue(24));
    }

    void isOffWithoutRows()
    {
        RunSpec spec;
        QVERIFY(!evaluationSchedule(spec, 0).isOn());
        spec.evaluation.batches = 0;
        QVERIFY(!evaluationSchedule(spec, 1000).isOn());
        QVERIFY(!evaluationSchedule(spec, 1000).isDue(100));
        QCOMPARE(evaluationSchedule(spec, 1000).costShare(), 0.0);
    }

    /// As a form has it while somebody types.
    void isOffWithoutStepsOrBatch()
    {
        RunSpec spec;
        spec.batch.global = 0;
        QVERIFY(!evaluationSchedule(spec, 1000).isOn());
        spec = {};
        spec.launch.steps = 0;
        QVERIFY(!evaluationSchedule(spec, 1000).isOn() && !evaluationSchedule(spec, 1000).isDue(1));
    }
};

QTEST_APPLESS_MAIN(TestEvaluationSchedule)
#include "tst_evaluation_schedule.moc"
