#include <QTemporaryDir>
#include <QTest>

#include <cmath>

#include "app/base/display_text.h"
#include "app/monitor/model/pipeline_timelines.h"
#include "app/monitor/model/scaling_study.h"
#include "app/plan/hardware_library.h"
#include "app/plan/plan_comparison.h"
#include "app/runs/recorded_run.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

RunSpec specOn(int ranks, int globalBatch)
{
    RunSpec spec;
    spec.model = modelPreset("bert-tiny").value();
    spec.dataset.path = "/data";
    spec.layout.data = ranks;
    spec.cluster.nodes = {{.host = "node", .slotCount = ranks, .hardware = "cpu-node"}};
    spec.batch.global = globalBatch;
    spec.batch.micro = 8;
    spec.batch.accumulation = globalBatch / 8 / ranks;
    return spec;
}

RunEntry runOf(const QString& id, const RunSpec& spec, double sequencesPerSecond)
{
    RunEntry entry;
    entry.id = entry.name = id;
    entry.spec = QString::fromStdString(toJson(spec));
    entry.worldSize = spec.layout.worldSize();
    entry.sequencesPerSecond = sequencesPerSecond;
    return entry;
}

QStringList words(const QList<StudyPoint>& points)
{
    QStringList list;
    for (const StudyPoint& point : points)
        list << QString("%1: %2 %").arg(point.runId).arg(std::lround(point.efficiency * 100));
    return list;
}

} // namespace

class TestScalingStudy : public QObject {
    Q_OBJECT

private slots:
    void sortsTheHistoryIntoStrongAndWeak()
    {
        RunSpec wider = specOn(8, 256);
        wider.model.hidden *= 2;
        const QList<RunEntry> runs{
            runOf("two", specOn(2, 256), 100),        runOf("one", specOn(1, 256), 60),
            runOf("one, slow", specOn(1, 256), 40),   runOf("four", specOn(4, 256), 180),
            runOf("four, weak", specOn(4, 512), 190), runOf("other", wider, 400),
            runOf("never ran", specOn(16, 256), 0)};
        RunFacts of;
        of.spec = specOn(2, 256);
        const ScalingStudy study = scalingStudy(runs, of, {}, m_hardware);
        QCOMPARE(words(study.strong), (QStringList{"one: 100 %", "two: 83 %", "four: 75 %"}));
        QCOMPARE(words(study.weak), (QStringList{"two: 100 %", "four, weak: 95 %"}));
        const ScalingStudy again = scalingStudy(runs, of, "one, slow", m_hardware);
        QCOMPARE(words(again.strong), (QStringList{"one, slow: 100 %", "two: 125 %", "four: 113 %"}));
        QCOMPARE(words(again.weak), words(study.weak));
    }

    void showsTheTimeToTheSameTarget()
    {
        const auto withTarget = [](const QString& id, int ranks, double target, double seconds) {
            RunSpec spec = specOn(ranks, 256);
            spec.evaluation.target = target;
            RunEntry entry = runOf(id, spec, 100 * ranks);
            entry.secondsToTarget = seconds;
            entry.tokensToTarget = 3e6;
            return entry;
        };
        RunFacts of;
        of.spec = specOn(1, 256);
        of.spec->evaluation.target = 2.5;
        const ScalingStudy study =
            scalingStudy({withTarget("one", 1, 2.5, 120), withTarget("two", 2, 2.5, 75),
                          withTarget("four", 4, 3, 10)}, // an easier target
                         of, {}, m_hardware);
        const TextTable table = studyTable(study.strong);
        QCOMPARE(table.columns.mid(7), (QStringList{"To target", "Tokens"})); // no price is known
        QCOMPARE(table.rows[0].mid(7), (QStringList{displaySeconds(120), displayLarge(3e6)}));
        QCOMPARE(table.rows[1].mid(7), (QStringList{displaySeconds(75), displayLarge(3e6)}));
        QCOMPARE(table.rows[2].mid(7), (QStringList{"–", "–"}));
        QCOMPARE(
            studyTable(scalingStudy({runOf("one", specOn(1, 256), 60), runOf("two", specOn(2, 256), 100)}, of,
                                    {}, m_hardware)
                           .strong)
                .columns.size(),
            7);
    }

    /// An hour of one node with its preset's price.
    void showsTheCostToTheTarget()
    {
        RunSpec spec = specOn(1, 256);
        spec.evaluation.target = 2.5;
        spec.cluster.nodes.front().hardware = "hgx-h100";
        RunEntry one = runOf("one", spec, 100);
        one.secondsToTarget = 3600;
        RunFacts of;
        of.spec = spec;
        const ScalingStudy study = scalingStudy({one, runOf("two", specOn(2, 256), 180)}, of, {}, m_hardware);
        const double price = m_hardware.find("hgx-h100").value().price.perHour;
        QCOMPARE(study.strong[0].costToTarget, price);
        const TextTable table = studyTable(study.strong);
        QCOMPARE(table.columns.last(), QString("Cost"));
        QCOMPARE(table.rows[0].last(), displayNumber(price) + " USD");
        QCOMPARE(table.rows[1].last(), QString("–"));
    }

    void aRunCountsForTheRanksThatItRanOnLast()
    {
        RunEntry shrunk = runOf("shrunk", specOn(4, 512), 90); // from 128 sequences a rank to 256
        shrunk.worldSize = 2;
        RunFacts of;
        of.spec = specOn(2, 256);
        const QList<RunEntry> runs{runOf("two", specOn(2, 256), 100), runOf("one", specOn(1, 128), 60),
                                   shrunk};
        QCOMPARE(words(scalingStudy(runs, of, {}, m_hardware).weak),
                 (QStringList{"one: 100 %", "two: 83 %"}));
        of.spec = specOn(4, 512);
        of.attempt = AttemptSpec{2, specOn(2, 512)};
        QVERIFY(scalingStudy(runs, of, {}, m_hardware).weak.isEmpty()); // of 256 a rank there is one size
    }

    /// Their throughput is that of their newest steps.
    void comparesThePhaseAndTheBatchThatWereMeasured()
    {
        RunSpec phased = specOn(2, 128);
        phased.phases = {PhaseSpec{.steps = 10}, PhaseSpec{.steps = 10}};
        phased.phases[1].batch.global = 256;
        phased.phases[1].batch.accumulation = 16;
        phased.phases[1].named = {"batch.global", "batch.accumulation"};
        phased.launch.steps = 20;
        RunEntry first = runOf("first phase", phased, 100);
        first.step = 10;
        RunEntry second = runOf("second phase", phased, 100);
        second.step = 11;
        RunSpec growing = specOn(4, 256);
        growing.batch.ramp = {128, 128, 640}; // 128 sequences for five steps
        RunEntry early = runOf("growing", growing, 180);
        early.step = 5;
        RunEntry late = runOf("grown", growing, 180);
        late.step = 6;
        const QList<RunEntry> runs{runOf("one", specOn(1, 256), 60), first, second, early, late};
        RunFacts of;
        of.spec = specOn(1, 256);
        QCOMPARE(words(scalingStudy(runs, of, {}, m_hardware).strong),
                 (QStringList{"one: 100 %", "second phase: 83 %", "grown: 75 %"}));
        of.id = "first phase";
        of.spec = phased;
        QCOMPARE(words(scalingStudy(runs, of, {}, m_hardware).strong),
                 (QStringList{"first phase: 100 %", "growing: 90 %"}));
    }

    void saysWhatTheUtilisationIsAShareOf()
    {
        RunFacts of;
        of.spec = specOn(2, 256);
        const QList<RunEntry> runs{runOf("two", specOn(2, 256), 100), runOf("one", specOn(1, 256), 60)};
        QVERIFY(std::isnan(scalingStudy(runs, of, {}, m_hardware).strong.first().utilisation));
        of.dataSet = DataSetManifest();
        of.dataSet->sequenceLength = 128;
        of.dataSet->maxPredictions = 20;
        const ScalingStudy study = scalingStudy(runs, of, {}, m_hardware);
        QVERIFY(study.peak.rate > 0);
        QVERIFY(peakText(study.peak).contains(study.peak.device));
        // Both do the same work for a sequence, so MFU goes with the throughput per rank.
        const double ratio = study.strong[1].utilisation / study.strong[0].utilisation;
        QVERIFY(std::fabs(ratio - 50.0 / 60) < 1e-9);
    }

    void oneSizeIsNoStudy()
    {
        RunFacts of;
        of.spec = specOn(2, 256);
        const QList<RunEntry> runs{runOf("a", specOn(2, 256), 100), runOf("b", specOn(2, 256), 120)};
        QVERIFY(scalingStudy(runs, of, {}, m_hardware).isEmpty());
    }

    void aTraceBecomesATimeline()
    {
        const PipelineTrace trace{100,
                                  1,
                                  1,
                                  {{{TracedWork::Forward, 0, 0, 0, 1}, {TracedWork::Backward, 0, 0, 3, 5}},
                                   {{TracedWork::Forward, 0, 0, 1, 2}, {TracedWork::Backward, 0, 0, 2, 3}}}};
        const StepTimeline timeline = measuredTimeline(trace).value();
        QCOMPARE(timeline.shape, (PipelineShape{2, 1, 1}));
        QCOMPARE(timeline.played.duration(), 5.0);
        QCOMPARE(timeline.played.bubbleShare(), 0.5); // 5 of 10 rank-seconds are passes
        PipelineTrace empty = trace;
        empty.ranks[1].clear();
        QVERIFY(!measuredTimeline(empty));
    }

    void aRunWithHardwareHasAPlannedTimeline()
    {
        const QTemporaryDir folder;
        support::SampleRun sample;
        sample.pipeline = 2;
        sample.hardware = "cpu-node";
        sample.rowLength = 128;
        const RecordedRun run = readRunFolder(support::writeSampleRun(folder.path(), sample)).value();
        QVERIFY(run.series.trace());
        QCOMPARE(run.series.trace()->step, std::int64_t(400));
        const auto planned = plannedTimeline(run.facts, planOf(run.facts, m_hardware));
        QVERIFY2(planned.ok(), planned.ok() ? "" : planned.error().text().c_str());
        QCOMPARE(int(planned->played.ranks.size()), 2);
        support::SampleRun unknown = sample;
        unknown.hardware.clear();
        unknown.seed = 9;
        const RecordedRun other = readRunFolder(support::writeSampleRun(folder.path(), unknown)).value();
        QVERIFY(!plannedTimeline(other.facts, planOf(other.facts, m_hardware)).ok());
    }

private:
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
};

QTEST_GUILESS_MAIN(TestScalingStudy)
#include "tst_scaling_study.moc"
