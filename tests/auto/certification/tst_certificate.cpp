#include <ATen/Parallel.h>

#include <QTest>

#include "engine/certification/certificate.h"
#include "engine/certification/proxy_run.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/spec/validate.h"

using namespace trainyard;

namespace {

/// Bert-large on 16 ranks of one machine.
RunSpec bigSpec(ParallelLayout layout)
{
    RunSpec spec;
    spec.name = "big";
    spec.dataset.path = "/data";
    spec.model.layers = 24;
    spec.model.hidden = 1024;
    spec.model.heads = 16;
    spec.model.intermediate = 4096;
    spec.layout = layout;
    spec.batch = {4 * 8 * layout.data, 4, 8};
    spec.cluster.nodes.front().slotCount = layout.worldSize();
    return spec;
}

std::string problemsOf(const RunSpec& spec)
{
    const Diagnostics diagnostics = validate(spec);
    return diagnostics.empty() ? std::string() : toError(diagnostics).text();
}

at::Tensor vectorOf(const std::vector<double>& values)
{
    return at::tensor(values, at::kDouble);
}

std::vector<RecordedStep> madeUpRun()
{
    std::vector<RecordedStep> steps;
    for (int step = 1; step <= 3; ++step)
        steps.push_back({1.0 / step,
                         2.0,
                         {{"a", vectorOf({1, 2, 3})}, {"b", vectorOf({4, 5})}},
                         {{"a", vectorOf({1, 1, 1})}, {"b", vectorOf({2, 2})}}});
    return steps;
}

void addTasks()
{
    const auto add = [](const char* name, const TaskSpec& task, const ParallelLayout& layout, bool packing) {
        RunSpec spec = bigSpec(layout);
        spec.model.task = task;
        spec.batch.packing = packing;
        spec.memory.zeroStage = layout.pipeline > 1 ? 0 : 3;
        spec.precision.compute = ComputeType::Float32;
        QTest::addRow("%s", name) << spec;
    };
    add("classify, data 2, tensor 2, sequence, ZeRO 3", {.kind = TaskKind::Classify, .labels = 3},
        {.data = 2, .tensor = 2, .sequence = true}, false);
    add("regress, pipeline 2, packing", {.kind = TaskKind::Regress}, {.data = 2, .pipeline = 2}, true);
    add("tag, context 2, tensor 2, sequence", {.kind = TaskKind::Tag, .labels = 9},
        {.tensor = 2, .context = 2, .sequence = true}, false);
    add("answer, data 2, tensor 2, pipeline 2", {.kind = TaskKind::Answer},
        {.data = 2, .tensor = 2, .pipeline = 2, .sequence = true}, false);
}

/// Micro-batches of two with several of them, adapters with dropout.
void addAdapters()
{
    using Schedule = PipelineScheduleKind;
    const auto add = [](const char* name, ModelFamily family, const ParallelLayout& layout,
                        const MemorySpec& memory, std::vector<std::string> targets) {
        RunSpec spec = bigSpec(layout);
        spec.model.setFamily(family);
        spec.model.lora = {.rank = 3, .alpha = 6, .dropout = 0.1, .targets = std::move(targets)};
        spec.memory = memory;
        QTest::addRow("adapters, %s", name) << spec;
    };
    const std::vector<std::string> all{"query", "key", "value", "dense"};
    const std::vector<std::string> allOfGpt{"c_attn", "c_proj", "c_fc"};
    add("data 2", ModelFamily::Bert, {.data = 2}, {}, {});
    add("gpt, data 4, ZeRO 1", ModelFamily::Gpt, {.data = 4}, {.zeroStage = 1}, {});
    add("data 2, ZeRO 2", ModelFamily::Bert, {.data = 2}, {.zeroStage = 2}, all);
    add("gpt, data 2, ZeRO 3, full recomputation", ModelFamily::Gpt, {.data = 2},
        {.zeroStage = 3, .recompute = RecomputeKind::Full}, allOfGpt);
    add("data 2, selective recomputation", ModelFamily::Bert, {.data = 2},
        {.recompute = RecomputeKind::Selective}, {"value"});
    add("feed-forward layer alone, full recomputation", ModelFamily::Bert, {.data = 2},
        {.recompute = RecomputeKind::Full}, {"intermediate.dense"});
    add("tensor 2", ModelFamily::Bert, {.tensor = 2}, {}, all);
    add("gpt, data 2, tensor 2, sequence, ZeRO 3", ModelFamily::Gpt,
        {.data = 2, .tensor = 2, .sequence = true}, {.zeroStage = 3}, allOfGpt);
    add("gpt, data 2, 1f1b 2", ModelFamily::Gpt, {.data = 2, .pipeline = 2}, {}, {});
    add("tensor 2, interleaved 2 x 2", ModelFamily::Bert,
        {.tensor = 2, .pipeline = 2, .schedule = Schedule::Interleaved, .virtualStages = 2}, {}, all);
    add("data 2, zero-bubble 2", ModelFamily::Bert,
        {.data = 2, .pipeline = 2, .schedule = Schedule::ZeroBubble}, {}, all);
    add("gpt, context 2", ModelFamily::Gpt, {.context = 2}, {}, allOfGpt);
    add("everything offloaded, ZeRO 3", ModelFamily::Bert, {.data = 2},
        {.zeroStage = 3,
         .recompute = RecomputeKind::Full,
         .offloadActivations = true,
         .offloadOptimizer = true,
         .offloadParameters = true},
        all);
}

} // namespace

class TestCertificate : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        AccountingAllocator::install();
        at::set_num_threads(1);
    }

    /// Once for phases that compute alike.
    void certifiesEveryPhaseThatComputesInAnotherWay()
    {
        RunSpec run = bigSpec({.data = 2});
        PhaseSpec sharded{.name = "sharded", .steps = 7};
        sharded.memory.zeroStage = 1;
        sharded.named = {"memory.zero_stage"};
        PhaseSpec later{.name = "later", .steps = 9};
        later.dataset.path = "/other";
        later.optimizer.learningRate = 1e-4;
        later.named = {"dataset.path", "optimizer.learning_rate"};
        run.phases = {PhaseSpec{.name = "first", .steps = 5}, sharded, later};
        run.launch.steps = 21;
        run.precision.compute = ComputeType::Float64;
        QCOMPARE(problemsOf(run), std::string());
        const auto certificate = certify(run, 1);
        QVERIFY2(certificate.ok(), certificate.ok() ? "" : certificate.error().text().c_str());
        QVERIFY(certificate->holds());
        QCOMPARE(certificate->checks.size(), std::size_t(2));
        QCOMPARE(certificate->checks[0].phase, std::string("first"));
        QCOMPARE(certificate->checks[1].phase, std::string("sharded"));
        QVERIFY(certificate->toText().find("sharded: float64") != std::string::npos);
        run.phases.clear();
        run.launch.steps = 5;
        QCOMPARE(certify(run, 1)->checks.front().phase, std::string());
    }

    void holdsForLayouts_data()
    {
        QTest::addColumn<RunSpec>("spec");
        RunSpec spec = bigSpec({.data = 4});
        spec.memory.zeroStage = 2;
        spec.precision.compute = ComputeType::Float32;
        QTest::addRow("data 4, ZeRO 2, float32") << spec;
        spec = bigSpec({.data = 2, .tensor = 2, .pipeline = 2, .sequence = true});
        spec.precision.compute = ComputeType::BFloat16;
        spec.memory.recompute = RecomputeKind::Full;
        spec.optimizer.kind = OptimizerKind::Lamb;
        QTest::addRow("data 2, tensor 2, sequence, pipeline 2, recomputation, bfloat16, lamb") << spec;
        spec = bigSpec(
            {.tensor = 2, .pipeline = 2, .schedule = PipelineScheduleKind::Interleaved, .virtualStages = 2});
        spec.model.setFamily(ModelFamily::Gpt);
        spec.precision.compute = ComputeType::Float32;
        QTest::addRow("gpt, tensor 2, interleaved 2 x 2, float32") << spec;
        spec = bigSpec({.data = 2, .tensor = 2});
        spec.memory.zeroStage = 3;
        spec.optimizer.kind = OptimizerKind::Lans;
        spec.precision.compute = ComputeType::Float16;
        QTest::addRow("data 2, tensor 2, ZeRO 3, float16, lans") << spec;
        spec = bigSpec({.data = 2, .tensor = 2, .pipeline = 2, .sequence = true});
        spec.batch.packing = true;
        spec.precision.compute = ComputeType::BFloat16;
        QTest::addRow("data 2, tensor 2, sequence, pipeline 2, packing, bfloat16") << spec;
        spec = bigSpec({.data = 2, .tensor = 2, .context = 3, .sequence = true});
        spec.model.setFamily(ModelFamily::Gpt);
        spec.precision.compute = ComputeType::BFloat16;
        QTest::addRow("gpt, data 2, context 3, tensor 2, sequence, bfloat16") << spec;
        addTasks();
        addAdapters();
    }
    void holdsForLayouts()
    {
        QFETCH(RunSpec, spec);
        QCOMPARE(problemsOf(spec), std::string());
        const auto certificate = certify(spec, 3);
        QVERIFY2(certificate.ok(), certificate.ok() ? "" : certificate.error().text().c_str());
        qInfo("%s", certificate->toText().c_str());
        QVERIFY(certificate->holds());
        QCOMPARE(certificate->checks.size(), std::size_t(2));
        QCOMPARE(certificate->checks.front().precision, ComputeType::Float64);
        QVERIFY(certificate->checks.front().worst > 0); // the order of sums does differ
        QCOMPARE(certificate->checks.back().precision, spec.precision.compute);
    }

    void theSmallRunKeepsEveryKindOfParallelism_data()
    {
        QTest::addColumn<RunSpec>("spec");
        QTest::addRow("512 ranks") << bigSpec({.data = 16, .tensor = 8, .pipeline = 4});
        QTest::addRow("tensor 16") << bigSpec({.tensor = 16});
        QTest::addRow("pipeline 24") << bigSpec({.data = 2, .pipeline = 24});
        QTest::addRow("context 8") << bigSpec({.data = 2, .tensor = 4, .context = 8, .sequence = true});
        QTest::addRow("every kind") << bigSpec({.data = 4, .tensor = 4, .pipeline = 4, .context = 4});
        QTest::addRow("interleaved") << bigSpec(
            {.pipeline = 4, .schedule = PipelineScheduleKind::Interleaved, .virtualStages = 3});
    }
    void theSmallRunKeepsEveryKindOfParallelism()
    {
        QFETCH(RunSpec, spec);
        spec.batch.accumulation = 24;
        spec.batch.global = spec.batch.micro * spec.batch.accumulation * spec.layout.data;
        QCOMPARE(problemsOf(spec), std::string());
        const RunSpec proxy = proxyOf(spec, 3).spec;
        QVERIFY2(problemsOf(proxy).empty(), problemsOf(proxy).c_str());
        QVERIFY(proxy.layout.worldSize() <= 16);
        QCOMPARE(proxy.layout.data > 1, spec.layout.data > 1);
        QCOMPARE(proxy.layout.context > 1, spec.layout.context > 1);
        QCOMPARE(proxy.layout.tensor > 1, spec.layout.tensor > 1);
        QCOMPARE(proxy.layout.pipeline > 1, spec.layout.pipeline > 1);
        QCOMPARE(proxy.layout.virtualStages > 1, spec.layout.virtualStages > 1);
        QCOMPARE(problemsOf(onOneRank(proxy)), std::string());
    }

    void namesTheFirstStepAndTensorThatDiffer()
    {
        const auto single = madeUpRun();
        auto layout = single;
        layout[1].gradients["b"] = vectorOf({4, 5 * (1 + 1e-6)});
        layout[2].loss *= 2; // a consequence
        const LayoutCheck check =
            compareRuns({.precision = ComputeType::Float64, .bound = 1e-9}, layout, single);
        QVERIFY(!check.holds());
        QCOMPARE(check.step, 2);
        QCOMPARE(check.where, std::string("gradient of b"));
        QVERIFY(check.worst > 1e-7 && check.worst < 1e-6);
    }

    void aMissingTensorAndANanDiffer()
    {
        const auto single = madeUpRun();
        auto layout = single;
        layout[0].weights.erase("a");
        QCOMPARE(compareRuns({.bound = 1e-9}, layout, single).where, std::string("a"));
        layout = single;
        layout[2].gradients["a"] = vectorOf({std::numeric_limits<double>::quiet_NaN(), 2, 3});
        QVERIFY(!compareRuns({.bound = 1e-9}, layout, single).holds());
    }

    void whatCannotRunIsRefused()
    {
        RunSpec spec = bigSpec({.tensor = 3});
        QVERIFY(!certify(spec, 1).ok());
    }
};

QTEST_APPLESS_MAIN(TestCertificate)
#include "tst_certificate.moc"
