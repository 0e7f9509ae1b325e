#include <QAbstractItemModelTester>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <numeric>

#include "app/plan/hardware_library.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/recorded_run.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

QStringList rowOf(const TextTable& table, const QString& name)
{
    for (const QStringList& row : table.rows) {
        if (row.front() == name)
            return row;
    }
    return {};
}

StepRecord stepTaking(std::int64_t number, double seconds)
{
    StepRecord record;
    record.step = number;
    record.stepSeconds = seconds;
    record.sequences = 8;
    record.ranks.resize(1);
    record.ranks[0].seconds[std::size_t(StepPhase::Forward)] = seconds / 2;
    record.ranks[0].seconds[std::size_t(StepPhase::Tensor)] = seconds / 2;
    return record;
}

} // namespace

class TestPlanComparison : public QObject {
    Q_OBJECT

private slots:
    void theUsualStepIsNotMovedByOutliers()
    {
        StepTable steps;
        QVERIFY(!usualStep(steps));
        steps.add(stepTaking(1, 100), 1, {}); // start-up
        for (int step = 2; step <= 9; ++step)
            steps.add(stepTaking(step, step == 5 ? 40 : 2), 1, {});
        const RunPace pace = usualStep(steps).value();
        QCOMPARE(pace.stepSeconds, 2.0);
        QCOMPARE(pace.sequencesPerSecond, 4.0);
        QCOMPARE(pace.byCause[std::size_t(CommonCause::Compute)], 1.0);
        QCOMPARE(pace.byCause[std::size_t(CommonCause::Tensor)], 1.0);
    }

    void theUsualStepIsThatOfTheNewestAttempt()
    {
        StepTable steps;
        for (int step = 1; step <= 30; ++step)
            steps.add(stepTaking(step, 2), 1, {});
        for (int step = 21; step <= 26; ++step)
            steps.add(stepTaking(step, step == 21 ? 9 : 5), 2, {}); // the first one starts up
        QCOMPARE(usualStep(steps)->stepSeconds, 5.0);
    }

    void theOnlyStepIsTheUsualOne()
    {
        StepTable steps;
        steps.add(stepTaking(1, 3), 1, {});
        QCOMPARE(usualStep(steps)->stepSeconds, 3.0);
    }

    void setsPlanAndMeasurementSideBySide()
    {
        const RecordedRun run = sample("cpu-node", 128);
        const PlanComparison comparison = compared(run);
        QVERIFY(comparison.whyNoTime.isEmpty());
        QCOMPARE(comparison.hardware, "cpu-node");
        const PlannedTime time = **planOf(run.facts, m_hardware)->time;
        QCOMPARE(comparison.planned->stepSeconds, time.step.seconds);
        QCOMPARE(std::accumulate(comparison.planned->byCause.begin(), comparison.planned->byCause.end(), 0.0),
                 sum(time.step.byCause));
        // The same step, longer by so much: every figure follows.
        const double longer = comparison.measured->stepSeconds / time.step.seconds;
        const auto follows = [&](double RunPace::*figure, double factor) {
            return std::abs(*comparison.measured.*figure / (*comparison.planned.*figure) / factor - 1) < 1e-9;
        };
        QVERIFY(follows(&RunPace::sequencesPerSecond, 1 / longer));
        QVERIFY(follows(&RunPace::tokensPerDay, 1 / longer));
        QVERIFY(follows(&RunPace::modelUtilization, 1 / longer));
        QVERIFY(follows(&RunPace::days, longer));
    }

    void plansTheLayoutOfTheNewestAttempt()
    {
        RecordedRun run = sample("cpu-node", 128);
        QVERIFY(compared(run).layoutChange.isEmpty());
        RunSpec deep = *run.facts.spec;
        deep.layout = {.data = 2, .tensor = 2};
        deep.batch.accumulation *= 2;
        run.facts.attempt = AttemptSpec{2, deep};
        const PlanComparison comparison = compared(run);
        QCOMPARE(comparison.memory.first().planned, estimateMemory(deep, {128, 20}).bytes);
        run.facts.spec = deep;
        run.facts.attempt.reset();
        QCOMPARE(comparison.planned->stepSeconds, compared(run).planned->stepSeconds);
        QVERIFY2(comparison.layoutChange.contains("Attempt 2 runs as data 2 · tensor 2"),
                 qPrintable(comparison.layoutChange));
    }

    void plansTheMemoryOfEveryRank()
    {
        const RecordedRun run = sample({}, 128);
        const PlanComparison comparison = compared(run);
        const MemoryEstimate expected = estimateMemory(*run.facts.spec, {128, 20});
        QCOMPARE(comparison.memory.size(), 4);
        for (const DeviceMemory& rank : comparison.memory)
            QVERIFY(rank.planned == expected.bytes);
    }

    void saysWhyThereIsNoPlan_data()
    {
        QTest::addColumn<QString>("hardware");
        QTest::addColumn<int>("rowLength");
        QTest::addColumn<QString>("reason");
        QTest::addRow("unknown hardware") << "" << 128 << "trainyard calibrate";
        QTest::addRow("no such hardware") << "abacus" << 128 << "abacus";
        QTest::addRow("unknown rows") << "cpu-node" << 0 << "manifest of the data set";
    }
    void saysWhyThereIsNoPlan()
    {
        QFETCH(QString, hardware);
        QFETCH(int, rowLength);
        QFETCH(QString, reason);
        const RecordedRun run = sample(hardware, rowLength);
        const PlanComparison comparison = compared(run);
        QVERIFY(!comparison.planned);
        QVERIFY2(comparison.whyNoTime.contains(reason), qPrintable(comparison.whyNoTime));
        QVERIFY(comparison.measured->stepSeconds > 0);
        QCOMPARE(rowOf(stepTimeTable(comparison), "step")[1], "–");
    }

    void takesChosenHardwareWhereNoneIsSaid()
    {
        const RecordedRun run = sample({}, 128);
        const PlanComparison chosen = compared(run, "cpu-node");
        QCOMPARE(chosen.hardware, "cpu-node");
        const RecordedRun said = sample("cpu-node", 128);
        QCOMPARE(compared(said, "hgx-a100").hardware, "cpu-node");
    }

    void tellsDifferences()
    {
        PlanComparison comparison;
        comparison.planned = RunPace{.stepSeconds = 2, .modelUtilization = 0.5};
        comparison.measured = RunPace{.stepSeconds = 2.5, .modelUtilization = 0.4};
        comparison.measured->byCause[std::size_t(CommonCause::Input)] = 0.5; // the plan knows of none
        const TextTable time = stepTimeTable(comparison);
        QCOMPARE(time.rows.size(), 2);
        QCOMPARE(rowOf(time, "step").mid(3), QStringList("+25.0 %"));
        QCOMPARE(rowOf(time, "input").mid(3), QStringList("–"));
        QCOMPARE(rowOf(paceTable(comparison), "MFU"), (QStringList{"MFU", "50.0 %", "40.0 %", "−20.0 %"}));
    }

    void sumsMemoryByHost()
    {
        MemoryByCategory planned{};
        planned[0] = kMiB;
        DeviceMemory rank{"rank 0", "a", {}, 2 * kMiB, 0, planned};
        const TextTable hosts = hostMemoryTable({rank, rank, DeviceMemory{"rank 2", "b", {}, kMiB, 0, {}}});
        QCOMPARE(hosts.rows, (QList<QStringList>{{"a", "2", "2.00 MiB", "4.00 MiB", "× 2"},
                                                 {"b", "1", "–", "1.00 MiB", "–"}}));
    }

    void aLayoutThatCannotBeHasNoPlannedMemory()
    {
        RunFacts facts = sample("cpu-node", 128).facts;
        QVERIFY(!plannedMemory(facts).empty());
        facts.spec->layout.pipeline = facts.spec->model.layers + 1;
        QVERIFY(plannedMemory(facts).empty());
    }

    void tablesAreModels()
    {
        const RecordedRun run = sample("cpu-node", 128);
        const PlanComparison comparison = compared(run);
        TextTableModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        for (const TextTable& table :
             {stepTimeTable(comparison), paceTable(comparison), rankMemoryTable(comparison.memory),
              hostMemoryTable(comparison.memory), categoryMemoryTable(comparison.memory.front())}) {
            for (const QStringList& row : table.rows)
                QCOMPARE(row.size(), table.columns.size());
            model.setTable(table);
            QCOMPARE(model.rowCount(), table.rows.size());
        }
    }

private:
    RecordedRun sample(const QString& hardware, int rowLength) const
    {
        support::SampleRun run;
        run.worldSize = 4;
        run.steps = run.reached = 20;
        run.hardware = hardware;
        run.rowLength = rowLength;
        const QTemporaryDir folder;
        return readRunFolder(support::writeSampleRun(folder.path(), run)).value();
    }

    PlanComparison compared(const RecordedRun& run, const std::string& hardware = {}) const
    {
        return comparePlan(run.facts, run.series, planOf(run.facts, m_hardware, hardware));
    }

    const QTemporaryDir m_folder;
    const HardwareLibrary m_hardware{m_folder.filePath("hardware").toStdString()};
};

QTEST_GUILESS_MAIN(TestPlanComparison)
#include "tst_plan_comparison.moc"
