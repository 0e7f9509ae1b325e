#include <QTemporaryDir>
#include <QTest>

#include "app/history/model/metric_table_model.h"
#include "app/monitor/model/evaluation_text.h"
#include "app/plan/hardware_library.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/open_run.h"
#include "app/runs/run_phase.h"
#include "engine/spec/phases/phases.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

/// What the desk says of the phases of a run.
class TestRunPhase : public QObject {
    Q_OBJECT

private slots:
    void saysThePresentPhase()
    {
        const RecordedRun run = sample(320);
        QCOMPARE(phaseNow(run.facts, run.series), 1);
        QCOMPARE(phaseText(run.facts, run.series), "Phase 2 of 2: long  ·  length 512  ·  step 40 of 120");
        const RecordedRun early = sample(280);
        QCOMPARE(phaseText(early.facts, early.series),
                 "Phase 1 of 2: short  ·  length 128  ·  step 280 of 280");
    }

    void saysNothingWithoutPhases()
    {
        support::SampleRun plain;
        const RecordedRun run = read(plain);
        QCOMPARE(phaseText(run.facts, run.series), QString());
        QVERIFY(!factsNow(run.facts, run.series).phase);
        QVERIFY(phaseBorders(run.facts, run.series.steps(), StepColumn::Step).empty());
    }

    void marksTheBordersThatWerePassed()
    {
        const RecordedRun run = sample(320);
        const auto borders = phaseBorders(run.facts, run.series.steps(), StepColumn::Step);
        QCOMPARE(borders.size(), std::size_t(1));
        QCOMPARE(borders[0].position, 280.5);
        QCOMPARE(borders[0].label, "2: long");
        const auto inTokens = phaseBorders(run.facts, run.series.steps(), StepColumn::Tokens);
        const SeriesColumn& tokens = run.series.steps().column(StepColumn::Tokens);
        QVERIFY(tokens[279] < inTokens[0].position && inTokens[0].position < tokens[280]);
        const RecordedRun early = sample(280);
        QVERIFY(phaseBorders(early.facts, early.series.steps(), StepColumn::Step).empty());
    }

    void aPhaseIsPlannedWithItsOwnRowsAndBatch()
    {
        const RecordedRun run = sample(320);
        const RunFacts second = factsOfPhase(run.facts, 1);
        QCOMPARE(second.dataSet->sequenceLength, 512);
        QVERIFY(*second.spec == specOfPhase(*run.facts.spec, 1));
        const auto first = plannedMemory(factsOfPhase(run.facts, 0));
        const auto later = plannedMemory(second);
        QCOMPARE(later.size(), std::size_t(2));
        QVERIFY(totalOf(later[0]) != totalOf(first[0]));
    }

    /// The steps of the second phase take 1.6 times as long.
    void measuresTheStepsOfThePhaseAlone()
    {
        const RecordedRun run = sample(400);
        const HardwareLibrary hardware("/no/hardware/of/ones/own");
        std::vector<PlanComparison> plans;
        for (const int phase : {0, 1}) {
            const RunFacts facts = factsOfPhase(run.facts, phase);
            plans.push_back(comparePlan(facts, run.series, planOf(facts, hardware)));
        }
        const double ratio = plans[1].measured->stepSeconds / plans[0].measured->stepSeconds;
        QVERIFY2(ratio > 1.55 && ratio < 1.65, qPrintable(QString::number(ratio)));
        QCOMPARE(plans[1].phase, "Phase 2 of 2: long");
        QCOMPARE(plans[1].planned->days > 0, true);
        // A phase that has not begun has no measured step.
        const RecordedRun early = sample(200);
        const RunFacts later = factsOfPhase(early.facts, 1);
        QVERIFY(!comparePlan(later, early.series, planOf(later, hardware)).measured);
    }

    void theTableOfEvaluationsNamesThePhase()
    {
        const RecordedRun run = sample(400);
        const TextTable table = evaluationText(run.facts, run.series);
        QCOMPARE(table.columns.last(), "Phase");
        QCOMPARE(table.rows.first().last(), "2: long");
        QCOMPARE(table.rows.last().last(), "1: short");
    }

    void theComparisonNamesThePhase()
    {
        const OpenRun phased(sample(320));
        MetricTableModel model;
        model.setGroups({{"phased", {&phased}}}, Middle::Mean, Spread::None);
        QVERIFY(model.index(0, 1).data().toString().endsWith(", phase 2: long"));
    }

private:
    RecordedRun sample(int reached)
    {
        support::SampleRun run;
        run.secondPhaseAt = 281;
        run.reached = reached;
        run.rowLength = 128;
        run.evaluateEvery = 40;
        run.hardware = "cpu-node";
        return read(run);
    }
    RecordedRun read(const support::SampleRun& run)
    {
        const QTemporaryDir folder;
        const auto read = readRunFolder(support::writeSampleRun(folder.path(), run));
        return read.ok() ? *read : RecordedRun();
    }
};

QTEST_GUILESS_MAIN(TestRunPhase)
#include "tst_run_phase.moc"
