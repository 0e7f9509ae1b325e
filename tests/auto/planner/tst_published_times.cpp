#include <QTest>

#include <cmath>

#include "engine/planner/hardware/hardware_presets.h"
#include "engine/planner/time/step_model.h"
#include "engine/planner/time/step_stats.h"
#include "engine/spec/presets.h"

using namespace trainyard;

namespace {

/// A GPT of Megatron's papers: vocabulary of 51,200, sequences of 2,048.
struct Published {
    int hidden, layers, heads;
    int tensor, pipeline, chunks;
    int devices, global, micro;
    double seconds; ///< of a step

    RunSpec spec() const;
};

RunSpec Published::spec() const
{
    RunSpec run;
    run.model = *modelPreset("gpt-175b");
    run.model.hidden = hidden;
    run.model.layers = layers;
    run.model.heads = heads;
    run.model.intermediate = 4 * hidden;
    run.layout.tensor = tensor;
    run.layout.pipeline = pipeline;
    run.layout.data = devices / tensor / pipeline;
    run.layout.virtualStages = chunks;
    run.layout.schedule =
        chunks > 1 ? PipelineScheduleKind::Interleaved : PipelineScheduleKind::OneForwardOneBackward;
    run.layout.placement = "PDT";
    run.batch = {global, micro, global / micro / run.layout.data};
    run.precision.compute = ComputeType::Float16;
    run.memory.recompute = RecomputeKind::Full;
    return run;
}

constexpr SequenceShape kMegatronShape{2048, 0};

/// Predicted over measured, less 1.
double errorOf(const Published& row, const RunSpec& spec)
{
    const auto model = StepModel::create(spec, kMegatronShape, *nodePreset("ndm-a100-v4"), megatronProgram());
    if (!model.ok())
        qFatal("%s", model.error().text().c_str());
    return model->estimate().seconds / row.seconds - 1;
}

} // namespace

class TestPublishedTimes : public QObject {
    Q_OBJECT

private slots:
    // Narayanan et al. (arXiv:2104.04473), table 1, on Selene: A100-80 nodes with 8 x 200 Gbit/s.
    void isCloseToMegatron()
    {
        const std::vector<Published> rows{
            {2304, 24, 24, 1, 1, 1, 32, 512, 16, 3.53},
            {3072, 30, 32, 2, 1, 1, 64, 512, 16, 3.70},
            {4096, 36, 32, 4, 1, 1, 128, 512, 16, 3.70},
            {6144, 40, 48, 8, 1, 1, 256, 1024, 8, 9.40},
            {8192, 48, 64, 8, 2, 1, 512, 1536, 4, 14.45},
            {10240, 60, 80, 8, 4, 3, 1024, 1792, 2, 16.06},
            {12288, 80, 96, 8, 8, 2, 1536, 2304, 2, 24.82},
            {16384, 96, 128, 8, 16, 2, 1920, 2160, 1, 37.61},
            {20480, 105, 128, 8, 35, 3, 2520, 2520, 1, 54.08},
            {25600, 128, 160, 8, 64, 1, 3072, 3072, 1, 102.63},
        };
        double sum = 0;
        for (const Published& row : rows) {
            const double error = errorOf(row, row.spec());
            qInfo("h %d: %+.1f %%", row.hidden, 100 * error);
            sum += std::abs(error);
        }
        qInfo("mean %.1f %%", 100 * sum / static_cast<double>(rows.size()));
        QVERIFY(sum / static_cast<double>(rows.size()) < 0.06);
    }

    // Korthikanti et al. (arXiv:2205.05198), table 5: full recomputation, and selective with sequence
    // parallelism.
    void isCloseToSelectiveRecomputation()
    {
        const std::vector<std::pair<Published, double>> rows{
            {{6144, 48, 64, 8, 1, 1, 8, 4, 4, 1.42}, 1.10},
            {{12288, 96, 96, 8, 8, 3, 64, 64, 1, 18.13}, 13.75},
            {{20480, 105, 128, 8, 35, 3, 280, 280, 1, 49.05}, 37.83},
            {{25600, 128, 160, 8, 64, 1, 512, 512, 1, 94.42}, 71.49},
        };
        double sum = 0;
        for (auto [row, selective] : rows) {
            const double full = errorOf(row, row.spec());
            RunSpec spec = row.spec();
            spec.memory.recompute = RecomputeKind::Selective;
            spec.layout.sequence = true;
            row.seconds = selective;
            const double other = errorOf(row, spec);
            qInfo("h %d: full %+.1f %%, selective %+.1f %%", row.hidden, 100 * full, 100 * other);
            sum += std::abs(full) + std::abs(other);
        }
        qInfo("mean %.1f %%", 100 * sum / 8);
        QVERIFY(sum / 8 < 0.05);
    }

    // 3 (L (2 S (4 h^2 + 2 h i) + 4 S^2 h) + 2 P (h^2 + h V) + 2 h^2) of BERT Large, worked out by hand: the head
    // counts on the predicted positions alone.
    void countsOperationsOfBertLarge()
    {
        RunSpec spec;
        spec.model = *modelPreset("bert-large");
        spec.batch = {1, 1, 1};
        QVERIFY(std::abs(stepOperations(spec, {128, 20}).model / 240.643e9 - 1) < 1e-5);
        QVERIFY(std::abs(stepOperations(spec, {512, 80}).model / 1020.534e9 - 1) < 1e-5);
    }

    // Their model and hardware utilisation, table 5, from the measured times.
    void labelsUtilisationAsThePapersDo()
    {
        const std::vector<std::tuple<Published, double, double>> rows{
            {{12288, 96, 96, 8, 8, 3, 64, 64, 1, 13.75}, 51.4, 52.8},
            {{20480, 105, 128, 8, 35, 3, 280, 280, 1, 37.83}, 56.0, 57.0},
            {{25600, 128, 160, 8, 64, 1, 512, 512, 1, 71.49}, 56.3, 57.0},
        };
        for (const auto& [row, mfu, hfu] : rows) {
            RunSpec spec = row.spec();
            spec.memory.recompute = RecomputeKind::Selective;
            const StepStats stats =
                stepStats(spec, kMegatronShape,
                          nodePreset("ndm-a100-v4")->device.peak.of(spec.precision.compute), row.seconds);
            QVERIFY(std::abs(100 * stats.modelUtilization - mfu) <= 0.05);
            QVERIFY(std::abs(100 * stats.hardwareUtilization - hfu) <= 0.05);
        }
    }
};

QTEST_APPLESS_MAIN(TestPublishedTimes)
#include "tst_published_times.moc"
