#include <QAbstractItemModelTester>
#include <QSemaphore>
#include <QSignalSpy>
#include <QTest>

#include "app/designer/model/background_plan.h"
#include "app/designer/model/layout_alternatives.h"
#include "app/designer/model/plan_metrics.h"
#include "engine/planner/hardware/hardware_presets.h"
#include "engine/spec/presets.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

/// BERT Large on two nodes of eight devices.
RunSpec bertSpec(const std::string& hardware = "hgx-a100")
{
    RunSpec spec;
    spec.model = *modelPreset("bert-large");
    spec.cluster.nodes = {{"a", 8, 0, hardware}, {"b", 8, 0, hardware}};
    spec.layout.data = 16;
    spec.batch = {1024, 16, 4};
    spec.precision.compute = ComputeType::BFloat16;
    spec.launch.device = DeviceKind::Cuda;
    spec.launch.steps = 1000;
    return spec;
}

PlannedDesign designOf(const RunSpec& spec)
{
    const PlanInputs inputs{SequenceShape{128, 20},
                            [](const std::string& name) -> Result<NodeModel> { return *nodePreset(name); },
                            [](const NodeSpec&) { return NodeMemory(); }};
    return {spec, inputs.shape, planRun(spec, inputs)};
}

/// Two stages, the second one shorter and on slower devices.
RunSpec unequalSpec()
{
    RunSpec spec = bertSpec();
    spec.cluster.nodes = {{"a", 8, 0, "hgx-a100"}, {"b", 8, 0, "p3.16xlarge"}};
    spec.layout.data = 8;
    spec.layout.pipeline = 2;
    spec.layout.placement = "PTD";
    spec.layout.partition = {PartitionKind::ByHand, {16, 8}};
    spec.batch = {1024, 8, 16};
    spec.precision.compute = ComputeType::Float16;
    return spec;
}

double secondsPlayed(const StepTimeline& timeline)
{
    return timeline.played.duration();
}

QStringList columnOf(const TextTable& table, qsizetype column)
{
    QStringList cells;
    for (const QStringList& row : table.rows)
        cells << row[column];
    return cells;
}

const PlanMetric& metricOf(const std::vector<PlanMetric>& metrics, const QString& name)
{
    const auto found = std::find_if(metrics.begin(), metrics.end(),
                                    [&](const PlanMetric& metric) { return metric.name.startsWith(name); });
    return *found;
}

} // namespace

class TestDesignPlan : public QObject {
    Q_OBJECT

private slots:
    void ofManyQuestionsTheNewestIsAnswered()
    {
        QList<int> answers;
        LatestJob<int> job([&](int answer) { answers << answer; });
        QSemaphore mayEnd;
        job.start([&](const auto&) {
            mayEnd.acquire();
            return 1;
        });
        job.start([](const auto&) { return 2; });
        job.start([](const auto&) { return 3; });
        mayEnd.release();
        AWAIT(!answers.isEmpty());
        QCOMPARE(answers, QList<int>{3});
        QVERIFY(!job.isRunning());
    }

    /// The first answer is there, and the event loop has not told of it yet.
    void whatWaitedGivesWayToANewerQuestion()
    {
        QList<int> answers;
        LatestJob<int> job([&](int answer) { answers << answer; });
        job.start([](const auto&) { return 1; });
        job.start([](const auto&) { return 2; });
        QVERIFY(QThreadPool::globalInstance()->waitForDone(kPatienceMs));
        job.start([](const auto&) { return 3; });
        AWAIT(answers.contains(3));
        QCOMPARE(answers.last(), 3);
        QVERIFY(!answers.contains(2));
    }

    void whatIsCancelledEndsAndIsNotAnswered()
    {
        QList<int> answers;
        LatestJob<int> job([&](int answer) { answers << answer; });
        QSemaphore ended;
        job.start([&](const auto& goesOn) {
            while (goesOn(0.5)) {
            }
            ended.release();
            return 1;
        });
        QVERIFY(job.isRunning());
        job.cancel();
        QVERIFY(!job.isRunning());
        QVERIFY(ended.tryAcquire(1, kPatienceMs));
        job.start([](const auto&) { return 2; });
        AWAIT(!answers.isEmpty());
        QCOMPARE(answers, QList<int>{2});
    }

    void progressIsTold()
    {
        QList<double> shares;
        bool answered = false;
        LatestJob<int> job([&](int) { answered = true; }, [&](double share) { shares << share; });
        job.start([](const auto& goesOn) {
            goesOn(0.25);
            return 1;
        });
        AWAIT(answered);
        QVERIFY(shares.contains(0.25));
    }

    void aForecastGoesFromOneNodeToMany()
    {
        const PlannedDesign design = designOf(bertSpec());
        const auto forecast = scalingForecast(design, Scaling::Weak);
        QVERIFY(forecast.ok());
        QCOMPARE(forecast->steps.front().ranks, 8);
        QCOMPARE(forecast->steps.back().ranks, 512);
        QCOMPARE(forecast->present()->ranks, 16);
        QVERIFY(!forecast->published.empty());
    }

    /// 64 replicas would have one micro-batch for four stages.
    void sizesThatDoNotFillThePipelineAreLeftOut()
    {
        RunSpec spec = bertSpec();
        spec.layout.data = 4;
        spec.layout.pipeline = 4;
        spec.batch = {1024, 16, 16};
        const PlannedDesign design = designOf(spec);
        const std::vector<int> sizes = forecastSizes(spec, design.time().node, Scaling::Strong);
        QCOMPARE(sizes, (std::vector<int>{8, 16, 32, 64}));
    }

    void aDesignOfOddSizeIsOnItsCurve()
    {
        RunSpec spec = bertSpec();
        spec.layout.data = 12;
        spec.batch = {768, 16, 4};
        const PlannedDesign design = designOf(spec);
        const std::vector<int> sizes = forecastSizes(spec, design.time().node, Scaling::Weak);
        QCOMPARE(std::vector<int>(sizes.begin(), sizes.begin() + 3), (std::vector<int>{8, 12, 16}));
    }

    void theBackgroundTellsTimelineAndForecast()
    {
        BackgroundPlan background;
        std::shared_ptr<const StepTimeline> timeline;
        int forecasts = 0;
        connect(&background, &BackgroundPlan::timelineReady, this,
                [&](const BackgroundPlan::Timeline& answer) { timeline = answer.value(); });
        connect(&background, &BackgroundPlan::forecastReady, this,
                [&](const BackgroundPlan::Forecast& answer) { forecasts += answer.ok() ? 1 : 0; });
        background.setDesign(designOf(bertSpec()));
        AWAIT(timeline && forecasts == 1);
        QCOMPARE(timeline->shape.microBatches, 4);
        background.setScaling(Scaling::Weak);
        AWAIT(forecasts == 2);
    }

    /// The verdict, the timeline and the curve tell of the same step.
    void unequalNodesAreEachWhatTheyAre()
    {
        const PlannedDesign design = designOf(unequalSpec());
        QVERIFY(design.hasTime());
        RunSpec slow = unequalSpec();
        slow.cluster.nodes[0].hardware = "p3.16xlarge";
        QVERIFY(design.time().step.seconds < designOf(slow).time().step.seconds);

        const auto forecast = scalingForecast(design, Scaling::Weak);
        QVERIFY(forecast.ok() && forecast->present());
        QCOMPARE(forecast->present()->sequencesPerSecond, design.time().stats.sequencesPerSecond);
        QVERIFY(forecast->steps.back().ranks > 16); // on more of the same hosts

        BackgroundPlan background;
        std::shared_ptr<const StepTimeline> timeline;
        connect(&background, &BackgroundPlan::timelineReady, this,
                [&](const BackgroundPlan::Timeline& answer) { timeline = answer.value(); });
        background.setDesign(design);
        AWAIT(timeline);
        QVERIFY(std::abs(secondsPlayed(*timeline) / design.time().step.seconds - 1) < 0.02);
    }

    void layoutsFoundForUnequalNodesAreTimedOnThem()
    {
        LayoutAlternatives alternatives;
        alternatives.setDesign(designOf(unequalSpec()));
        alternatives.start(SearchObjective::Time);
        AWAIT(alternatives.found().rowCount() > 0);
        for (int row = 0; row < alternatives.found().rowCount(); ++row) {
            RunSpec applied = unequalSpec();
            applyLayout(applied, alternatives.found().at(row));
            QCOMPARE(alternatives.found().at(row).sequencesPerSecond,
                     designOf(applied).time().stats.sequencesPerSecond);
        }
    }

    void aPredictionIsStoppedBetweenItsSizes()
    {
        int asked = 0;
        const auto forecast =
            scalingForecast(designOf(bertSpec()), Scaling::Weak, [&](double) { return ++asked < 3; });
        QVERIFY(!forecast.ok());
        QCOMPARE(forecast.error().kind, ErrorKind::Cancelled);
        QCOMPARE(asked, 3);
    }

    void theKeptDesignScalesBesideThePresentOne()
    {
        BackgroundPlan background;
        QList<double> kept;
        connect(&background, &BackgroundPlan::keptForecastReady, this,
                [&](const BackgroundPlan::Forecast& answer) { kept << answer->present()->efficiency; });
        background.setKept(designOf(bertSpec()));
        AWAIT(kept.size() == 1);
        background.setScaling(Scaling::Weak);
        AWAIT(kept.size() == 2);
        QVERIFY(kept[0] < kept[1]);
    }

    void timeMetricsNeedHardware()
    {
        QCOMPARE(planMetrics(designOf(bertSpec(""))).size(), 5u);
        PlannedDesign design = designOf(bertSpec("p4d.24xlarge"));
        design.efficiency = 0.9;
        const auto metrics = planMetrics(design);
        QCOMPARE(metricOf(metrics, "Efficiency").value, "90.0 %");
        QVERIFY(metricOf(metrics, "MFU").amount > 0);
        QVERIFY(metricOf(metrics, "Cost").amount > 0);
        QVERIFY(metricOf(metrics, "Cost").name.contains("20")); // the year of the price
        QVERIFY(metricOf(metrics, "Memory").value.contains("of"));
    }

    void changesAreGoodOrBadByTheMetric()
    {
        PlanMetric now{"Time", "", "", 1.1, PlanMetric::Better::Lower};
        PlanMetric before{"Time", "", "", 1.0, PlanMetric::Better::Lower};
        QCOMPARE(changeText(now, before), "+10.0 %");
        QCOMPARE(changeTone(now, before), Tone::Bad);
        QCOMPARE(changeText(before, now), "−9.1 %");
        QCOMPARE(changeTone(before, now), Tone::Good);
        QCOMPARE(changeText(now, now), "=");
        now.amount = 2.5;
        QCOMPARE(changeText(now, before), "× 2.5");
        before.amount = qQNaN();
        QCOMPARE(changeText(now, before), "");
    }

    void assumptionsNamePapersAndPrices()
    {
        const QString all = planAssumptions(designOf(bertSpec("p4d.24xlarge"))).join(' ');
        QVERIFY(all.contains("arXiv:2205.05198"));
        QVERIFY(all.contains("p4d.24xlarge"));
        QVERIFY(all.contains("Price:"));
    }

    void comparesMetricsAndFields()
    {
        const PlannedDesign kept = designOf(bertSpec());
        RunSpec spec = bertSpec();
        spec.batch = {1024, 64, 1};
        const PlannedDesign present = designOf(spec);
        const TextTable fields = comparedFields(kept.spec, present.spec);
        QCOMPARE(columnOf(fields, 0), (QStringList{"batch.accumulation", "batch.micro"}));
        QCOMPARE(columnOf(fields, 1), (QStringList{"4", "16"}));
        QCOMPARE(columnOf(fields, 2), (QStringList{"1", "64"}));
        const TextTable metrics = comparedMetrics(kept, present);
        const QStringList names = columnOf(metrics, 0);
        QVERIFY(names.contains("Sequences/s"));
        QVERIFY(names.indexOf("· compute") > names.indexOf("Step time"));
        const QStringList activations = metrics.rows[names.indexOf("· activations")];
        QVERIFY(names.indexOf("· activations") < names.indexOf("Tokens/step"));
        QVERIFY2(activations[3].startsWith("× "), qPrintable(activations.join(' ')));
    }

    void aDesignWithoutTimeIsComparedToo()
    {
        const TextTable metrics = comparedMetrics(designOf(bertSpec("")), designOf(bertSpec()));
        const qsizetype row = columnOf(metrics, 0).indexOf("Sequences/s");
        QCOMPARE(metrics.rows[row][1], "–");
        QCOMPARE(metrics.rows[row][3], "");
    }

    void searchesLayoutsAndSaysWhatTheyGain()
    {
        LayoutAlternatives alternatives;
        const QAbstractItemModelTester tester(&alternatives.found());
        QVERIFY(!alternatives.obstacle().isEmpty());
        alternatives.setDesign(designOf(bertSpec()));
        QCOMPARE(alternatives.obstacle(), "");
        alternatives.start(SearchObjective::Time);
        AWAIT(alternatives.found().rowCount() > 0);
        QVERIFY(!alternatives.isRunning());
        const QString first = alternatives.found().index(0).data().toString();
        QVERIFY2(first.contains("\n+ "), qPrintable(first)); // plain data parallelism is not the best

        RunSpec applied = bertSpec();
        applyLayout(applied, alternatives.found().at(0));
        alternatives.setDesign(designOf(applied));
        QVERIFY(alternatives.found().index(0).data().toString().contains("current design"));
        QVERIFY(!alternatives.isOutdated());

        applied.model.layers = 12;
        alternatives.setDesign(designOf(applied));
        QVERIFY(alternatives.isOutdated());
        QVERIFY(!alternatives.found().index(0).data().toString().contains('+'));
    }

    void whatWasFoundIsOutdatedByAllThatTheSearchGoesBy()
    {
        LayoutAlternatives alternatives;
        alternatives.setDesign(designOf(bertSpec()));
        alternatives.start(SearchObjective::Time);
        AWAIT(alternatives.found().rowCount() > 0);
        const auto outdatedBy = [&](const std::function<void(PlannedDesign&)>& change) {
            PlannedDesign changed = designOf(bertSpec());
            change(changed);
            alternatives.setDesign(changed);
            return alternatives.isOutdated();
        };
        QVERIFY(outdatedBy([](PlannedDesign& design) { design.shape.length = 512; }));
        QVERIFY(outdatedBy([](PlannedDesign& design) { design.spec.optimizer.momentum = 0; }));
        QVERIFY(outdatedBy([](PlannedDesign& design) { design.spec.checkpoint.everySteps = 100; }));
        QVERIFY(outdatedBy([](PlannedDesign& design) { (*design.plan.time)->node.device.memory /= 2; }));
        QVERIFY(!outdatedBy([](PlannedDesign& design) {
            design.spec.cluster.nodes[0].host = "c";
            design.spec.optimizer.learningRate = 1;
            design.spec.checkpoint.keepLast = 7;
        }));
    }

    void aCancelledSearchKeepsWhatWasFoundBefore()
    {
        LayoutAlternatives alternatives;
        alternatives.setDesign(designOf(bertSpec()));
        alternatives.start(SearchObjective::Time);
        AWAIT(alternatives.found().rowCount() > 0);
        const int before = alternatives.found().rowCount();
        RunSpec other = bertSpec();
        other.model.layers = 12;
        alternatives.setDesign(designOf(other));
        alternatives.start(SearchObjective::Memory);
        alternatives.cancel();
        QCOMPARE(alternatives.found().rowCount(), before);
        QVERIFY(alternatives.isOutdated()); // of the other model
        alternatives.setDesign(designOf(bertSpec()));
        QVERIFY(!alternatives.isOutdated());
    }

    void aSearchThatFindsNothingSaysWhy()
    {
        LayoutAlternatives alternatives;
        QSignalSpy failures(&alternatives, &LayoutAlternatives::failed);
        RunSpec spec = bertSpec("p3.16xlarge");
        spec.model = *modelPreset("gpt-175b");
        alternatives.setDesign(designOf(spec));
        alternatives.start(SearchObjective::Time);
        AWAIT(failures.count() == 1);
        QCOMPARE(alternatives.found().rowCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestDesignPlan)
#include "tst_design_plan.moc"
