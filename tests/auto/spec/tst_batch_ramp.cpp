#include <QTest>

#include <cmath>

#include "engine/spec/elastic.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

ParsedSpec parseRamped(const char* fields)
{
    return parseSpec(QString(R"({"trainyard":1,"dataset":{"path":"/d"},%1})").arg(fields).toStdString());
}

/// Megatron-LM's RampupBatchsizeNumMicroBatchesCalculator.update() (megatron/core/num_microbatches_calculator
/// .py), line by line.
int megatronBatch(int start, int increment, double samples, int global, double consumed)
{
    const double increments = std::floor((global - start) / double(increment));
    const double perIncrement = samples / increments;
    if (consumed > samples)
        return global;
    const int steps = static_cast<int>(consumed / perIncrement);
    return start + steps * increment;
}

/// 4 sequences in the first steps, 32 from the 96th sequence on.
constexpr const char* kRamp = R"("batch":{"global":32,"micro":4,"accumulation":8,
    "ramp":{"start":4,"increment":4,"samples":96}},"launch":{"steps":20})";

} // namespace

/// The growth of the global batch.
class TestBatchRamp : public QObject {
    Q_OBJECT

private slots:
    /// By hand: three increments of 2 within 12 sequences, one each 4.
    void growsByItsDefinition()
    {
        const BatchRamp ramp(BatchSpec{8, 1, 8, false, {2, 2, 12}});
        std::vector<int> batches;
        for (std::uint64_t samples = 0; batches.size() < 6;) {
            batches.push_back(ramp.globalAfter(samples));
            samples += static_cast<std::uint64_t>(batches.back());
        }
        QVERIFY(batches == (std::vector<int>{2, 2, 4, 6, 8, 8}));
        QVERIFY(ramp.stretches(6) == (std::vector<BatchRamp::Stretch>{{2, 2}, {4, 1}, {6, 1}, {8, 2}}));
        QVERIFY(ramp.stretches(1) == (std::vector<BatchRamp::Stretch>{{2, 1}}));
        QCOMPARE(ramp.samplesOf(6), std::uint64_t(30));
    }

    void growsAsInMegatron_data()
    {
        QTest::addColumn<int>("start");
        QTest::addColumn<int>("increment");
        QTest::addColumn<int>("samples");
        QTest::addColumn<int>("global");
        const auto row = [](int start, int increment, int samples, int global) {
            QTest::addRow("%d %d %d to %d", start, increment, samples, global)
                << start << increment << samples << global;
        };
        row(16, 8, 300, 64);
        row(32, 32, 60000, 512);
        row(4, 4, 7, 32); // levels that no step begins in
        row(8, 24, 1000, 32);
    }
    void growsAsInMegatron()
    {
        QFETCH(int, start);
        QFETCH(int, increment);
        QFETCH(int, samples);
        QFETCH(int, global);
        const BatchRamp ramp(BatchSpec{global, 1, global, false, {start, increment, samples}});
        std::uint64_t consumed = 0;
        std::vector<int> ofStretches;
        for (const auto& [batch, steps] : ramp.stretches(600))
            ofStretches.insert(ofStretches.end(), static_cast<std::size_t>(steps), batch);
        QCOMPARE(ofStretches.size(), std::size_t(600));
        for (std::size_t step = 0; step < 600; ++step) {
            const int batch = ramp.globalAfter(consumed);
            QCOMPARE(batch, megatronBatch(start, increment, samples, global, double(consumed)));
            QCOMPARE(ofStretches[step], batch);
            QCOMPARE(ramp.samplesOf(static_cast<std::int64_t>(step)), consumed);
            QCOMPARE(ramp.stepsWithin(consumed), static_cast<std::int64_t>(step));
            QCOMPARE(ramp.stepsWithin(consumed + 1), static_cast<std::int64_t>(step));
            consumed += static_cast<std::uint64_t>(batch);
        }
    }

    void withoutARampEveryStepIsFull()
    {
        const BatchRamp ramp(BatchSpec{32, 8, 4});
        QCOMPARE(ramp.globalAfter(0), 32);
        QVERIFY(ramp.stretches(7) == (std::vector<BatchRamp::Stretch>{{32, 7}}));
        QCOMPARE(ramp.samplesOf(7), std::uint64_t(224));
        QCOMPARE(ramp.stepsWithin(250), std::int64_t(7));
    }

    void isWrittenOnlyWhereItIsSet()
    {
        const ParsedSpec parsed = parseRamped(kRamp);
        QCOMPARE(textOf(parsed.diagnostics) + textOf(validate(parsed.spec)) + textOf(remarksOn(parsed.spec)),
                 QString());
        QVERIFY(parsed.spec.batch.ramp == (BatchRampSpec{4, 4, 96}));
        QVERIFY(parseSpec(toJson(parsed.spec)).spec == parsed.spec);
        RunSpec plain = parsed.spec;
        plain.batch.ramp = {};
        QVERIFY(!QString::fromStdString(toJson(plain)).contains("ramp"));
    }

    void refusesRampsThatALayoutCannotFollow_data()
    {
        QTest::addColumn<QString>("fields");
        QTest::addColumn<QString>("said");
        const auto row = [](const char* name, const char* fields, const char* said) {
            QTest::addRow("%s", name) << fields << said;
        };
        row("start",
            R"("batch":{"global":32,"micro":4,"accumulation":8,"ramp":{"start":6,"increment":26,"samples":9}})",
            "batch.ramp.start: is 6, not a multiple of micro 4 x data-parallel degree 1 — use a multiple of "
            "4\n"
            "batch.ramp.increment: is 26, not a multiple of micro 4 x data-parallel degree 1 — use a "
            "multiple "
            "of 4");
        row("increment",
            R"("batch":{"global":32,"micro":4,"accumulation":8,"ramp":{"start":4,"increment":12,"samples":9}})",
            "batch.ramp.increment: is 12, which does not lead from 4 to 32 — use a divisor of batch.global - "
            "batch.ramp.start");
        row("too large", R"("batch":{"ramp":{"start":32,"increment":8,"samples":9}})",
            "batch.ramp.start: is 32, and the batch is to grow to batch.global 32 — lower it, or leave "
            "batch.ramp out");
        row("no samples", R"("batch":{"ramp":{"start":8,"increment":8}})",
            "batch.ramp.samples: is 0, so that the batch would not have to grow — give the sequences over "
            "which it grows, or leave batch.ramp out");
        row("pipeline",
            R"("cluster":{"nodes":[{"slots":2}]},"layout":{"pipeline":2},"batch":{"ramp":{"start":8,"increment":8,"samples":99}})",
            "batch.ramp: with a global batch of 8 the 1f1b schedule on 2 pipeline ranks needs at least 2 "
            "micro-batches, not 1 — set batch.ramp.start and batch.ramp.increment to multiples of micro x "
            "layout.data x layout.pipeline");
    }
    void refusesRampsThatALayoutCannotFollow()
    {
        QFETCH(QString, fields);
        const ParsedSpec parsed = parseRamped(fields.toUtf8().constData());
        QCOMPARE(textOf(parsed.diagnostics), QString());
        QTEST(textOf(validate(parsed.spec)), "said");
    }

    void saysThatTheRunIsTooShort()
    {
        RunSpec run = parseRamped(kRamp).spec;
        run.launch.steps = 5;
        QCOMPARE(textOf(remarksOn(run)),
                 "batch.ramp: lasts longer than the 5 steps: the last batch has 8 sequences, not 32 — lower "
                 "batch.ramp.samples or raise launch.steps");
    }

    /// As a warm-up does.
    void countsFromTheFirstStepOfAPhase()
    {
        RunSpec run = parseRamped(kRamp).spec;
        const std::uint64_t all = samplesOf(run);
        QCOMPARE(all, BatchRamp(run.batch).samplesOf(20));
        PhaseSpec second{.steps = 4};
        second.batch.ramp = {};
        second.named = {"batch.ramp"};
        run.phases = {PhaseSpec{.steps = 20}, PhaseSpec{.steps = 20}, second};
        run.launch.steps = 44;
        QCOMPARE(textOf(validate(run)), QString());
        QVERIFY(parseSpec(toJson(run)).spec == run);
        QCOMPARE(samplesBefore(run, 1), all);
        QCOMPARE(samplesBefore(run, 2), 2 * all);
        QCOMPARE(samplesOfPhases(run), 2 * all + 4 * 32);
    }

    void staysInEveryLayout()
    {
        RunSpec run = parseRamped(kRamp).spec;
        run.batch.micro = 1;
        run.batch.accumulation = 32;
        run.cluster.nodes = {NodeSpec{.slotCount = 8}};
        const auto four = withReplicas(run, 4);
        QVERIFY(four.ok());
        QVERIFY(four->batch.ramp == run.batch.ramp);
        QVERIFY(!withReplicas(run, 8).ok()); // a first batch of 4 has no 8 parts
        QVERIFY(withLayout(run, layoutText(*four)).ok());
        RunSpec other = *four;
        other.batch.ramp.samples = 95;
        QCOMPARE(withLayout(run, layoutText(other)).error().message,
                 "batch.ramp is not that of the run: it would not be the same training");
    }
};

QTEST_APPLESS_MAIN(TestBatchRamp)
#include "tst_batch_ramp.moc"
