#include <QTest>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_timeline.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

constexpr SequenceShape kTimelineShape{1024, 0};

/// 4 stages, 16 micro-batches.
RunSpec pipelined(PipelineScheduleKind schedule, int chunks = 1)
{
    RunSpec spec;
    spec.model = *modelPreset("gpt2-xl");
    spec.model.layers = 16;
    spec.layout.pipeline = 4;
    spec.layout.schedule = schedule;
    spec.layout.virtualStages = chunks;
    spec.batch = {32, 2, 16};
    return spec;
}

StepModel modelOf(const RunSpec& spec)
{
    return StepModel::create(spec, kTimelineShape, *nodePreset("hgx-a100")).value();
}

} // namespace

class TestStepTimeline : public QObject {
    Q_OBJECT

private slots:
    void lastsAsLongAsTheStep_data()
    {
        QTest::addColumn<int>("schedule");
        QTest::addColumn<int>("chunks");
        QTest::addRow("gpipe") << int(PipelineScheduleKind::GPipe) << 1;
        QTest::addRow("1f1b") << int(PipelineScheduleKind::OneForwardOneBackward) << 1;
        QTest::addRow("interleaved") << int(PipelineScheduleKind::Interleaved) << 2;
        QTest::addRow("zero-bubble") << int(PipelineScheduleKind::ZeroBubble) << 1;
    }

    void lastsAsLongAsTheStep()
    {
        QFETCH(int, schedule);
        QFETCH(int, chunks);
        const RunSpec spec = pipelined(static_cast<PipelineScheduleKind>(schedule), chunks);
        const StepModel model = modelOf(spec);
        const auto step = playStep(spec, model.costs());
        QVERIFY(step.ok());
        QVERIFY(step->isWhole());
        QCOMPARE(step->played.duration(), model.estimate().seconds); // within rounding: sums in another order
    }

    void hasThePassesAndNoTransfers()
    {
        const RunSpec spec = pipelined(PipelineScheduleKind::OneForwardOneBackward);
        const auto step = playStep(spec, modelOf(spec).costs());
        QVERIFY(step.ok());
        QCOMPARE(step->played.ranks.size(), 4u);
        for (const auto& actions : step->played.ranks)
            QCOMPARE(actions.size(), 2u * 16 + 2); // and the reduction and the optimizer's step
    }

    void playsTheBeginningOfALongStep()
    {
        RunSpec spec = pipelined(PipelineScheduleKind::Interleaved, 2);
        spec.batch = {4000, 2, 2000};
        const auto step = playStep(spec, modelOf(spec).costs(), 1000);
        QVERIFY(step.ok());
        QVERIFY(!step->isWhole());
        QCOMPARE(step->microBatches, 2000);
        QCOMPARE(step->shape.microBatches, 60); // 2 x 8 stages x 60 = 960 passes, a multiple of 4
    }

    void alwaysFillsThePipeline()
    {
        const RunSpec spec = pipelined(PipelineScheduleKind::OneForwardOneBackward);
        const auto step = playStep(spec, modelOf(spec).costs(), 1);
        QVERIFY(step.ok());
        QCOMPARE(step->shape.microBatches, 4);
    }

    void saysWhyAScheduleCannotBePlayed()
    {
        RunSpec spec = pipelined(PipelineScheduleKind::OneForwardOneBackward);
        const PipelineCosts costs = modelOf(spec).costs();
        spec.batch = {6, 2, 3};
        const auto step = playStep(spec, costs);
        QVERIFY(!step.ok());
        QCOMPARE(step.error().kind, ErrorKind::Refused);
    }
};

QTEST_APPLESS_MAIN(TestStepTimeline)
#include "tst_step_timeline.moc"
