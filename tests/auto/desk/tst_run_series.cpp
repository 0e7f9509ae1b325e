#include <QAbstractItemModelTester>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>

#include "app/base/display_text.h"
#include "app/monitor/model/evaluation_text.h"
#include "app/monitor/model/event_list_model.h"
#include "app/runs/recorded_run.h"
#include "app/runs/run_series.h"
#include "app/runs/time_to_target.h"
#include "engine/records/codec.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

StepRecord step(std::int64_t number, double loss, double seconds = 0.5)
{
    StepRecord record;
    record.step = number;
    record.loss = loss;
    record.stepSeconds = seconds;
    record.sequences = 32;
    record.tokens = 4000;
    return record;
}

/// As a journal numbers and dates them: one per second, from `first` on.
std::vector<Record> records(std::uint32_t attempt, std::uint64_t first, const std::vector<Payload>& payloads)
{
    std::vector<Record> list;
    for (const Payload& payload : payloads) {
        const auto sequence = first + list.size();
        list.push_back({attempt, sequence, {0, std::int64_t(sequence) * 1'000'000'000}, payload});
    }
    return list;
}

std::vector<Record> killedAtFourResumedFromTwo()
{
    auto all = records(1, 1, {step(1, 9), step(2, 8), step(3, 7), step(4, 6)});
    const auto resumed = records(2, 5, {step(3, 7.5), step(4, 6.5), step(5, 5.5)});
    all.insert(all.end(), resumed.begin(), resumed.end());
    return all;
}

QList<double> losses(const RunSeries& series)
{
    return series.steps().column(StepColumn::Loss).toList();
}

EvaluationRecord evaluation(std::int64_t step, double loss, bool best = false)
{
    EvaluationRecord record{.step = step, .loss = loss, .tokenLoss = loss - 0.5, .sequenceLoss = 0.5};
    record.tokenAccuracy = 0.25;
    record.tokens = 160;
    record.rows = 8;
    record.seconds = 0.25;
    record.best = best;
    return record;
}

/// Attempt 1 evaluates after every second step and dies; attempt 2 begins with step 3, and evaluates step 2
/// first, as attempt 1 was stopped before it could.
std::vector<Record> evaluatedAndResumed()
{
    auto all = records(1, 1, {step(1, 9), step(2, 8), step(3, 7), step(4, 6), evaluation(4, 6.25)});
    const auto resumed = records(
        2, 6,
        {evaluation(2, 8.25, true), step(3, 7.5), step(4, 6.5), evaluation(4, 6.75, true), step(5, 5.5)});
    all.insert(all.end(), resumed.begin(), resumed.end());
    return all;
}

EventRecord someEvent(const char* kind)
{
    return {Severity::Info, kind, "something happened", {}, 0};
}

} // namespace

class TestRunSeries : public QObject {
    Q_OBJECT

private slots:
    void takesEachRecordOnce()
    {
        RunSeries series;
        const auto batch = records(1, 1, {step(1, 9), step(2, 8)});
        QCOMPARE(series.apply("steps", batch), std::size_t(2));
        QCOMPARE(series.apply("steps", batch), std::size_t(0));
        QCOMPARE(series.recordCount(), std::uint64_t(2));
        QCOMPARE(losses(series), (QList<double>{9, 8}));
    }

    void countsSequencesPerStream()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9)}));
        series.apply("run", records(1, 1, {StateRecord{RunState::Running, "", 1, 10, false}}));
        QCOMPARE(series.recordCount(), std::uint64_t(2));
        QCOMPARE(series.status().state, RunState::Running);
    }

    void derivesThroughputAndRunningSums()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9, 0.5), step(2, 8, 0.25)}));
        const StepTable& steps = series.steps();
        QCOMPARE(steps.column(StepColumn::SequencesPerSecond).toList(), (QList<double>{64, 128}));
        QCOMPARE(steps.column(StepColumn::TokensPerSecond).toList(), (QList<double>{8000, 16000}));
        QCOMPARE(steps.column(StepColumn::Tokens).toList(), (QList<double>{4000, 8000}));
        QCOMPARE(steps.column(StepColumn::TrainingSeconds).toList(), (QList<double>{0.5, 0.75}));
    }

    void aLaterAttemptReplacesTheStepsItRepeats()
    {
        RunSeries series;
        series.apply("steps", killedAtFourResumedFromTwo());
        QCOMPARE(series.steps().column(StepColumn::Step).toList(), (QList<double>{1, 2, 3, 4, 5}));
        QCOMPARE(losses(series), (QList<double>{9, 8, 7.5, 6.5, 5.5}));
        QCOMPARE(series.steps().column(StepColumn::Tokens).last(), 5 * 4000.0);
    }

    void showsOnlyWhatTheResumedRunReallyReached()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9), step(2, 8), step(3, 7), step(4, 6)}));
        series.apply("steps", records(2, 5, {step(2, 8)}));
        QCOMPARE(series.steps().column(StepColumn::Step).toList(), (QList<double>{1, 2}));
    }

    void remembersTheAttempts()
    {
        RunSeries series;
        series.apply("steps", killedAtFourResumedFromTwo());
        const auto attempts = series.steps().attempts();
        QCOMPARE(attempts.size(), std::size_t(2));
        QCOMPARE(attempts[0], (RunAttempt{1, 1, 4, 1'000'000'000, 4'000'000'000}));
        QCOMPARE(attempts[1], (RunAttempt{2, 3, 5, 5'000'000'000, 7'000'000'000}));
    }

    void givesTheSameColumnsInWhateverOrderRecordsCome()
    {
        auto all = killedAtFourResumedFromTwo();
        RunSeries inOrder;
        inOrder.apply("steps", all);
        std::mt19937 random(7);
        for (int round = 0; round < 100; ++round) {
            std::shuffle(all.begin(), all.end(), random);
            RunSeries shuffled;
            for (const Record& record : all)
                shuffled.apply("steps", {record});
            for (int column = 0; column < kStepColumns; ++column)
                QCOMPARE(shuffled.steps().column(StepColumn(column)),
                         inOrder.steps().column(StepColumn(column)));
        }
    }

    void keepsEveryFigureOfAnEvaluation()
    {
        RunSeries series;
        EvaluationRecord record = evaluation(2, 8.25, true);
        record.sequenceAccuracy = 0.75;
        record.task = {.kind = TaskKind::Regress, .pearson = 0.5, .spearman = 0.25};
        series.apply("steps", records(1, 1, {step(1, 9), step(2, 8), record, evaluation(3, 8)}));
        QCOMPARE(series.evaluations().size(), 2);
        QCOMPARE(series.evaluations().at(0), record);
        QCOMPARE(series.evaluations().at(1), evaluation(3, 8));
        QCOMPARE(series.evaluations().lowestLossRow(), 1);
        QCOMPARE(EvaluationTable().lowestLossRow(), -1);
        QVERIFY(std::isnan(EvaluationTable().last(EvaluationColumn::Loss)));
    }

    void placesEvaluationsAtTheirSteps()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9, 0.5), step(2, 8, 0.25), evaluation(2, 8.25)}));
        const auto at = [&](StepColumn axis) {
            return series.evaluations().positions(series.steps(), axis).toList();
        };
        QCOMPARE(at(StepColumn::Step), QList<double>{2});
        QCOMPARE(at(StepColumn::Tokens), QList<double>{8000});
        QCOMPARE(at(StepColumn::TrainingSeconds), QList<double>{0.75});
        QCOMPARE(at(StepColumn::WallSeconds), QList<double>{2}); // of the step, not of the evaluation
    }

    void listsEvaluationsNewestFirst()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9), evaluation(1, 8), step(2, 8), evaluation(2, 8.25)}));
        const TextTable table = evaluationText({}, series);
        QCOMPARE(table.columns,
                 (QStringList{"Step", "Tokens", "Loss", "Masked-LM loss", "Masked-LM accuracy", "Time"}));
        QCOMPARE(table.rows, (QList<QStringList>{{"2", displayCount(8000), "8.250", "7.750",
                                                  displayPercent(0.25), displaySeconds(0.25)},
                                                 {"1", displayCount(4000), "★ 8.000", "7.500",
                                                  displayPercent(0.25), displaySeconds(0.25)}}));
        QVERIFY(evaluationText({}, {}).rows.isEmpty());
    }

    void listsTheMetricsOfATask_data()
    {
        QTest::addColumn<int>("task");
        QTest::addColumn<QStringList>("metrics");
        QTest::addRow("classify") << int(TaskKind::Classify)
                                  << QStringList{"Accuracy", "F1", "Matthews correlation"};
        QTest::addRow("regress") << int(TaskKind::Regress)
                                 << QStringList{"Pearson correlation", "Spearman correlation"};
        QTest::addRow("tag") << int(TaskKind::Tag) << QStringList{"Accuracy", "F1"};
        QTest::addRow("answer") << int(TaskKind::Answer) << QStringList{"Exact match (%)", "F1"};
    }
    void listsTheMetricsOfATask()
    {
        QFETCH(int, task);
        QFETCH(QStringList, metrics);
        support::SampleRun run;
        run.task = TaskKind(task);
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9), support::sampleEvaluation(run, 1)}));
        RunFacts facts;
        facts.spec = RunSpec{};
        facts.spec->model.task.kind = run.task;
        const TextTable table = evaluationText(facts, series);
        QCOMPARE(table.columns, (QStringList{"Step", "Tokens", "Loss"} + metrics + QStringList{"Time"}));
        QVERIFY(!table.rows[0].contains("–"));
    }

    /// As keep_best judges them: by accuracy the second one, whose loss is higher.
    void marksTheBestEvaluationByTheMetricOfTheRun()
    {
        RunSeries series;
        EvaluationRecord better = evaluation(2, 8.25);
        better.tokenAccuracy = 0.5;
        series.apply("steps", records(1, 1, {step(1, 9), evaluation(1, 8), step(2, 8), better}));
        RunFacts facts;
        facts.spec = RunSpec{};
        facts.spec->evaluation.metric = EvaluationMetric::Accuracy;
        const TextTable table = evaluationText(facts, series);
        QCOMPARE(table.rows[0].mid(2, 3), (QStringList{"8.250", "7.750", "★ " + displayPercent(0.5)}));
        QVERIFY(!table.rows[1].join(' ').contains("★"));
        QCOMPARE(series.evaluations().bestRow(EvaluationMetric::Accuracy), 1);
    }

    /// As the run itself does, which ends at its target in the last phase alone.
    void reachesATargetInTheLastPhase()
    {
        RunSeries series;
        series.apply("steps", records(1, 1,
                                      {step(1, 9), evaluation(1, 2), step(2, 8), evaluation(2, 8), step(3, 7),
                                       evaluation(3, 2.25)}));
        RunSpec run;
        run.evaluation.target = 2.5;
        QCOMPARE(timeToTarget(run, series)->step, std::int64_t(1));
        run.phases = {PhaseSpec{.steps = 1}, PhaseSpec{.steps = 2}};
        const auto reached = timeToTarget(run, series);
        QCOMPARE(reached->step, std::int64_t(3));
        QCOMPARE(reached->value, 2.25);
        QCOMPARE(reached->seconds, 3 * 0.5 + 3 * 0.25); // of both phases
        QCOMPARE(reached->tokens, 12000.0);
        run.phases[1].steps = 1;
        run.phases.push_back(PhaseSpec{.steps = 4});
        QCOMPARE(timeToTarget(run, series)->step, std::int64_t(3));
        run.phases.back().evaluation.target = 2; // of its own
        run.phases.back().named = {"evaluation.target"};
        QVERIFY(!timeToTarget(run, series));
        run.phases.back().named.clear();
        run.phases.front().steps = 2;
        QVERIFY(!timeToTarget(run, series));
    }

    void aLaterAttemptReplacesTheEvaluationsOfItsSteps()
    {
        RunSeries series;
        const auto all = evaluatedAndResumed();
        series.apply("steps", {all.begin(), all.begin() + 7});
        QCOMPARE(series.evaluations().column(EvaluationColumn::Step).toList(), QList<double>{2});
        QVERIFY(series.evaluations().rewrites() > 0);
        series.apply("steps", all);
        QCOMPARE(series.evaluations().column(EvaluationColumn::Step).toList(), (QList<double>{2, 4}));
        QCOMPARE(series.evaluations().column(EvaluationColumn::Loss).toList(), (QList<double>{8.25, 6.75}));
        series.forget("steps");
        QVERIFY(series.evaluations().isEmpty());
    }

    void givesTheSameEvaluationsInWhateverOrderRecordsCome()
    {
        auto all = evaluatedAndResumed();
        std::mt19937 random(11);
        for (int round = 0; round < 100; ++round) {
            std::shuffle(all.begin(), all.end(), random);
            RunSeries shuffled;
            for (const Record& record : all)
                shuffled.apply("steps", {record});
            QCOMPARE(shuffled.evaluations().column(EvaluationColumn::Loss).toList(),
                     (QList<double>{8.25, 6.75}));
            QCOMPARE(shuffled.evaluations().column(EvaluationColumn::Attempt).toList(),
                     (QList<double>{2, 2}));
        }
    }

    void appendingIsNoRewriteAndReplacingIs()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9), step(2, 8)}));
        QCOMPARE(series.steps().rewrites(), 0);
        series.apply("steps", records(2, 3, {step(2, 8)}));
        QVERIFY(series.steps().rewrites() > 0);
    }

    void keepsEachRanksPeakAndItsNewestStats()
    {
        StepRecord first = step(1, 9);
        first.ranks.resize(2);
        first.ranks[1].peakTotal = 900;
        first.ranks[1].peakMemory[3] = 700;
        StepRecord second = step(2, 8);
        second.ranks.resize(2);
        second.ranks[1].peakTotal = 400;
        RunSeries series;
        series.apply("steps", records(1, 1, {first, second}));
        QCOMPARE(series.ranks().size(), std::size_t(2));
        QCOMPARE(series.ranks()[1].peak.peakMemory[3], Bytes(700));
        QCOMPARE(series.ranks()[1].peakStep, 1);
        QCOMPARE(series.ranks()[1].latest.peakTotal, Bytes(400));
        QCOMPARE(series.steps().column(StepColumn::PeakMemory).toList(), (QList<double>{900, 400}));
    }

    // Of many ranks most steps tell those alone that were special.
    void stepsThatTellFewRanksLeaveNoGap()
    {
        constexpr auto kForward = std::size_t(StepPhase::Forward);
        StepRecord whole = step(1, 9);
        whole.ranks.resize(1024);
        for (RankStats& rank : whole.ranks) {
            rank.peakTotal = 900;
            rank.seconds[kForward] = 0.25;
        }
        StepRecord some = step(2, 8);
        some.ranks.resize(1024);
        some.ranks[700].peakTotal = 800;
        some.ranks[700].seconds[kForward] = 0.375;
        some.ranks[3].peakTotal = 1000;
        some.ranks[3].seconds[kForward] = 0.25;
        const auto stored = [](const StepRecord& record) {
            return decodePayload(0, encodePayload(record)).value();
        };
        RunSeries series;
        series.apply("steps", records(1, 1, {stored(whole), stored(some)}));

        const StepTable& steps = series.steps();
        QCOMPARE(steps.column(StepColumn::PeakMemory).toList(), (QList<double>{900, 1000}));
        QCOMPARE(steps.cause(CommonCause::Compute).toList(), (QList<double>{0.25, 0.375}));
        QCOMPARE(series.ranks().size(), std::size_t(1024));
        QCOMPARE(series.ranks()[5].latest.peakTotal, Bytes(900)); // as last told
        QCOMPARE(series.ranks()[700].latest.peakTotal, Bytes(800));
        QCOMPARE(series.ranks()[700].peak.peakTotal, Bytes(900));
        QCOMPARE(series.ranks()[3].peak.peakTotal, Bytes(1000));
        QCOMPARE(series.ranks()[3].peakStep, 2);
        // Ranks are compared with each other where all are told.
        QCOMPARE(series.newestCompute().size(), std::size_t(1));
        QCOMPARE(series.ranks()[700].usual[kForward], 0.25);
    }

    void rankStatsAreThoseOfTheNewestAttempt()
    {
        StepRecord wide = step(1, 9);
        wide.ranks.resize(4);
        wide.ranks[0].peakTotal = 900;
        StepRecord narrow = step(1, 9);
        narrow.ranks.resize(2);
        narrow.ranks[0].peakTotal = 400;
        RunSeries series;
        series.apply("steps", records(1, 1, {wide}));
        series.apply("steps", records(2, 3, {narrow}));
        series.apply("steps", records(1, 2, {wide})); // late
        QCOMPARE(series.ranks().size(), std::size_t(2));
        QCOMPARE(series.ranks()[0].peak.peakTotal, Bytes(400));
    }

    void splitsAStepByTheCausesOfTheRankThatWorkedLongest()
    {
        StepRecord record = step(1, 9);
        record.ranks.resize(2);
        record.ranks[0].seconds[std::size_t(StepPhase::Forward)] = 0.25;
        record.ranks[0].seconds[std::size_t(StepPhase::Bubble)] = 0.5;
        record.ranks[1].seconds[std::size_t(StepPhase::Forward)] = 0.25;
        record.ranks[1].seconds[std::size_t(StepPhase::Backward)] = 0.25;
        record.ranks[1].seconds[std::size_t(StepPhase::Bubble)] = 0.125;
        RunSeries series;
        series.apply("steps", records(1, 1, {record}));
        QCOMPARE(series.steps().cause(CommonCause::Compute).first(), 0.5);
        QCOMPARE(series.steps().cause(CommonCause::Bubble).first(), 0.125);
        QCOMPARE(series.steps().cause(CommonCause::Tensor).first(), 0.0);
    }

    void knowsWhichStepsWereSkipped()
    {
        std::vector<Payload> steps;
        for (const int number : {1, 2, 3, 4}) {
            StepRecord record = step(number, 9);
            record.consumedSamples = 32 * number;
            record.skipped = number % 2 == 0;
            steps.push_back(record);
        }
        RunSeries series;
        series.apply("steps", records(1, 1, steps));
        QCOMPARE(series.steps().skipped(StepColumn::Step), (QList<double>{2, 4}));
        QCOMPARE(series.steps().skipped(StepColumn::Samples), (QList<double>{64, 128}));
        series.apply("steps", records(2, 5, {step(4, 8)})); // resumed, and not skipped this time
        QCOMPARE(series.steps().skipped(StepColumn::Step), (QList<double>{2}));
    }

    void aStepWithoutLengthHasNoThroughput()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9, 0)}));
        QVERIFY(std::isnan(series.steps().last(StepColumn::SequencesPerSecond)));
    }

    void theNewestWordOfTheSupervisorCounts()
    {
        RunSeries series;
        const auto words = records(1, 1,
                                   {StateRecord{RunState::Running, "", 3, 10, false},
                                    StateRecord{RunState::Failed, "rank 1 was killed", 4, 10, false}});
        series.apply("run", {words[1]});
        series.apply("run", {words[0]});
        QCOMPARE(series.status().state, RunState::Failed);
        QCOMPARE(series.status().reason, QString("rank 1 was killed"));
        QCOMPARE(series.status().firstNs, std::int64_t(1'000'000'000));
        QCOMPARE(series.status().lastNs, std::int64_t(2'000'000'000));
    }

    void aRestartedStreamComesAgainFromItsFirstRecord()
    {
        RunSeries series;
        series.apply("steps", records(1, 1, {step(1, 9), step(2, 8)}));
        series.forget("steps");
        QVERIFY(series.steps().isEmpty());
        QCOMPARE(series.apply("steps", records(1, 1, {step(1, 4)})), std::size_t(1));
        QCOMPARE(losses(series), (QList<double>{4}));
    }

    void findsTheStepNearestToACursor_data()
    {
        QTest::addColumn<double>("at");
        QTest::addColumn<int>("row");
        QTest::newRow("before the first") << -5.0 << 0;
        QTest::newRow("nearer to the left") << 1.4 << 0;
        QTest::newRow("nearer to the right") << 1.6 << 1;
        QTest::newRow("behind the last") << 99.0 << 2;
    }

    void findsTheStepNearestToACursor()
    {
        QFETCH(double, at);
        RunSeries series;
        QCOMPARE(series.steps().nearestRow(StepColumn::Step, at), -1);
        series.apply("steps", records(1, 1, {step(1, 9), step(2, 8), step(3, 7)}));
        QTEST(int(series.steps().nearestRow(StepColumn::Step, at)), "row");
    }

    void eventsOfAllStreamsAreInOrderOfTime()
    {
        RunSeries series;
        series.apply("run", records(1, 5, {someEvent("launched")}));
        series.apply("steps", records(1, 2, {someEvent("loss-not-finite")}));
        QCOMPARE(series.events().size(), std::size_t(2));
        QCOMPARE(series.events()[0].event.kind, "loss-not-finite");
    }

    void eventRowsAreInsertedWhereTheyBelong()
    {
        RunSeries series;
        EventListModel model;
        QAbstractItemModelTester tester(&model);
        series.apply("run", records(1, 5, {someEvent("launched")}));
        model.update(series.events());
        const QPersistentModelIndex launched = model.index(0, EventListModel::Kind);
        series.apply("steps", records(1, 2, {someEvent("loss-not-finite")}));
        series.apply("run", records(1, 6, {someEvent("finished")}));
        model.update(series.events());
        QCOMPARE(model.rowCount(), 3);
        QCOMPARE(launched.row(), 1);
        model.update({});
        QCOMPARE(model.rowCount(), 0);
    }

    void eventTextsCannotBreakTheirRow()
    {
        RunSeries series;
        series.apply("run",
                     records(1, 1, {EventRecord{Severity::Error, "x", "a\nb\x1b[31m\u202e c", {}, 0}}));
        EventListModel model;
        model.update(series.events());
        QCOMPARE(model.index(0, EventListModel::Message).data().toString(),
                 QString::fromUtf8("a b\uFFFD[31m\uFFFD c"));
    }
};

QTEST_APPLESS_MAIN(TestRunSeries)
#include "tst_run_series.moc"
