#include <QTemporaryDir>
#include <QTest>

#include "engine/comm/process_group.h"
#include "engine/device/device_session.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/training/step_journal.h"
#include "engine/training/trainer.h"
#include "engine/worker/rank_process.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/gpu/gpu_test.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

/// The ways of one rank.
struct Way {
    const char* name;
    ComputeType compute;
    OptimizerKind optimizer = OptimizerKind::AdamW;
    ModelFamily family = ModelFamily::Bert;
    double attentionDropout = 0.1;
    MemorySpec memory{};
};

const Way kWays[] = {
    {"float64, adamw", ComputeType::Float64},
    {"float64, lamb", ComputeType::Float64, OptimizerKind::Lamb},
    {"float64, lans", ComputeType::Float64, OptimizerKind::Lans},
    {"float64, fused attention", ComputeType::Float64, OptimizerKind::AdamW, ModelFamily::Bert, 0.0},
    {"float64, gpt, fused attention", ComputeType::Float64, OptimizerKind::AdamW, ModelFamily::Gpt, 0.0},
    {"float64, full recomputation",
     ComputeType::Float64,
     OptimizerKind::AdamW,
     ModelFamily::Bert,
     0.1,
     {.recompute = RecomputeKind::Full}},
    {"float64, offload of activations",
     ComputeType::Float64,
     OptimizerKind::AdamW,
     ModelFamily::Bert,
     0.1,
     {.offloadActivations = true}},
    {"float64, offload of the optimizer",
     ComputeType::Float64,
     OptimizerKind::AdamW,
     ModelFamily::Bert,
     0.1,
     {.offloadOptimizer = true}},
    {"float32", ComputeType::Float32},
    {"bfloat16", ComputeType::BFloat16},
    {"bfloat16, fused attention", ComputeType::BFloat16, OptimizerKind::Lamb, ModelFamily::Bert, 0.0},
    {"float16", ComputeType::Float16},
    {"float64, ZeRO 3, offload of parameters",
     ComputeType::Float64,
     OptimizerKind::Lamb,
     ModelFamily::Bert,
     0.1,
     {.zeroStage = 3, .offloadParameters = true}},
    {"bfloat16, ZeRO 3, offload of optimizer and parameters",
     ComputeType::BFloat16,
     OptimizerKind::AdamW,
     ModelFamily::Gpt,
     0.1,
     {.zeroStage = 3, .offloadOptimizer = true, .offloadParameters = true}},
};

RunSpec specOf(const fs::path& dataset, const Way& way)
{
    RunSpec spec = tinySpec(dataset, 1, way.compute);
    spec.model.setFamily(way.family);
    spec.model.attentionDropout = way.attentionDropout;
    spec.optimizer.kind = way.optimizer;
    spec.memory = way.memory;
    spec.batch = {8, 2, 4};
    spec.launch.steps = 10;
    return spec;
}

/// Relative, of losses and gradient norms over ten steps.
double boundOf(ComputeType compute)
{
    switch (compute) {
    case ComputeType::Float64:
        return 1e-9;
    case ComputeType::Float32:
        return 1e-4;
    default:
        return 5e-2;
    }
}

} // namespace

/// A rank on the first GPU computes what it computes on the processor.
class TestCudaTraining : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_plugin = openFirstGpu();
        if (!m_plugin)
            QSKIP("this machine has no GPU");
        AccountingAllocator::install();
        QVERIFY(writeTinyDataset(dataset()).ok());
    }

    void trainsLikeTheProcessor_data()
    {
        QTest::addColumn<int>("way");
        for (std::size_t i = 0; i < std::size(kWays); ++i)
            QTest::addRow("%s", kWays[i].name) << int(i);
    }
    void trainsLikeTheProcessor()
    {
        QFETCH(int, way);
        const RunSpec spec = specOf(dataset(), kWays[way]);
        const fs::path expected = run(), found = run();
        train(expected, spec, false, 0);
        train(found, spec, true, 0);
        const double bound = boundOf(spec.precision.compute);
        QVERIFY(largestDifference(stepsOf(expected), stepsOf(found)) < bound);
        QVERIFY(largestNormDifference(stepsOf(expected), stepsOf(found)) < 10 * bound);
    }

    void resumesFromItsCheckpointOnTheProcessor()
    {
        const RunSpec spec = specOf(dataset(), kWays[0]);
        const fs::path whole = run(), parts = run();
        train(whole, spec, false, 0);
        train(parts, spec, true, 5);
        train(parts, spec, false, 0, 2);
        QVERIFY(largestDifference(stepsOf(whole), stepsOf(parts)) < 1e-9);
    }

    void countsTheMemoryOfTheDeviceByCategory()
    {
        const RunSpec spec = specOf(dataset(), kWays[9]);
        const fs::path folder = run();
        train(folder, spec, true, 0);
        const RankStats figures = stepsOf(folder).back().ranks.front();
        for (const auto category :
             {MemoryCategory::Weights, MemoryCategory::Gradients, MemoryCategory::Optimizer,
              MemoryCategory::Activations, MemoryCategory::Data})
            QVERIFY2(figures.peakMemory[std::size_t(category)] > 0, nameOf(category).data());
        QCOMPARE(figures.peakMemory[std::size_t(MemoryCategory::Host)], Bytes(0));
    }

private:
    void train(const fs::path& folder, const RunSpec& spec, bool onDevice, std::int64_t lastStep,
               std::uint32_t attempt = 1)
    {
        const auto process = RankProcess::start().value();
        const auto world = process->makeWorld();
        const auto journal = StepJournal::open(folder / "journal", attempt).value();
        std::optional<DeviceSession> session;
        if (onDevice)
            session.emplace(
                *m_plugin, *process,
                CollectiveWatchdog::Verdict{[](const std::string& what) { QFAIL(what.c_str()); }, [] {}});
        const auto trainer = Trainer::create({.spec = spec,
                                              .directory = RunDirectory(folder),
                                              .maker = session ? session->maker() : *process,
                                              .world = *world,
                                              .memory = AccountingAllocator::install(),
                                              .journal = journal.get(),
                                              .lastStep = lastStep,
                                              .device = session ? session->device() : Device(),
                                              .deviceMemory = session ? &session->memory() : nullptr})
                                 .value();
        const Status status = trainer->run();
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
    }

    fs::path dataset() const { return fs::path(m_folder.path().toStdString()) / "data"; }
    fs::path run() { return fs::path(m_folder.path().toStdString()) / std::to_string(++m_runs); }

    QTemporaryDir m_folder;
    int m_runs = 0;
    std::optional<GpuPlugin> m_plugin;
};

QTEST_APPLESS_MAIN(TestCudaTraining)
#include "tst_cuda_training.moc"
