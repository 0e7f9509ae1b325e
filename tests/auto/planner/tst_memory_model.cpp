#include <QTest>

#include "engine/planner/memory_model.h"
#include "engine/planner/parameter_parts.h"
#include "engine/spec/presets.h"

using namespace trainyard;

class TestMemoryModel : public QObject {
    Q_OBJECT

private slots:
    void addsSixteenBytesPerParameterInFloat32()
    {
        RunSpec spec;
        const auto estimate = estimateMemory(spec, {});
        const Bytes states = estimate.bytes[0] + estimate.bytes[1] + estimate.bytes[2];
        QCOMPARE(states, Bytes(16 * parameterCount(spec.model)));
    }

    void sharesStatesAmongDataParallelRanks()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.layout.data = 4;
        spec.layout.bucketSize = 64 * kKiB;
        const Bytes parameters = Bytes(parameterCount(spec.model));
        const Bytes quarter = (parameters + 3) / 4;
        spec.memory.zeroStage = 1;
        const auto first = estimateMemory(spec, {});
        QCOMPARE(first.bytes[0], 2 * parameters + 4 * quarter);
        QCOMPARE(first.bytes[2], 8 * quarter);
        spec.memory.zeroStage = 2;
        QCOMPARE(estimateMemory(spec, {}).bytes[1], 4 * quarter + 128 * kKiB);
    }

    void countsWhatEachOptimizerKeeps()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::Float16;
        const Bytes parameters = Bytes(parameterCount(spec.model));
        const auto states = [&](OptimizerKind kind, double momentum = 0.9) {
            spec.optimizer.kind = kind;
            spec.optimizer.momentum = momentum;
            return estimateMemory(spec, {}).bytes[2];
        };
        for (const auto kind :
             {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper, OptimizerKind::Lans})
            QCOMPARE(states(kind), 8 * parameters);
        QCOMPARE(states(OptimizerKind::Sgd), 4 * parameters);
        QCOMPARE(states(OptimizerKind::Sgd, 0), Bytes(0));
        QCOMPARE(estimateMemory(spec, {}).bytes[0], (2 + 4) * parameters);
    }

    void sharesWeightsPartByPart()
    {
        RunSpec spec;
        spec.layout.data = 3;
        spec.memory.zeroStage = 3;
        spec.precision.compute = ComputeType::BFloat16;
        const ParameterParts parts = flatParts(spec.model, 1, 3);
        const Bytes owned = Bytes(parts.embeddings + spec.model.layers * parts.perLayer + parts.head) / 3;
        const auto estimate = estimateMemory(spec, {});
        // The tied head multiplies with the word embeddings while the last layer is already being gathered.
        QCOMPARE(estimate.bytes[0], 4 * owned + 2 * Bytes(parts.embeddings + parts.head + parts.perLayer));
        QCOMPARE(estimate.bytes[1], 4 * owned + 4 * Bytes(parts.embeddings + parts.perLayer));
        QCOMPARE(estimate.bytes[2], 8 * owned);
        spec.model.tiedHead = false;
        const ParameterParts untied = flatParts(spec.model, 1, 3);
        QCOMPARE(estimateMemory(spec, {}).bytes[0],
                 4 * Bytes(untied.embeddings + spec.model.layers * untied.perLayer + untied.head) / 3 +
                     2 * Bytes(untied.perLayer + std::max(untied.embeddings, untied.head)));
    }

    void dividesStatesByTensorRanksAndStages()
    {
        RunSpec spec;
        spec.model.layers = 8;
        const auto whole = estimateMemory(spec, {});
        spec.layout.tensor = 2;
        const auto cut = estimateMemory(spec, {});
        QCOMPARE(cut.bytes[0], (whole.bytes[0] / 4 + 1) / 2 * 4);
        QVERIFY(cut.bytes[3] > whole.bytes[3] / 2 && cut.bytes[3] < whole.bytes[3]);
        spec.layout.sequence = true;
        QVERIFY(estimateMemory(spec, {}).bytes[3] < cut.bytes[3]);
        spec.layout.tensor = 1;
        spec.layout.pipeline = 4;
        const ParameterParts parts = parameterParts(spec.model);
        QCOMPARE(estimateMemory(spec, {}).bytes[0],
                 Bytes(4 * (2 * parts.perLayer + std::max(parts.embeddings, parts.head + parts.words))));
    }

    void holdsAsManyMicroBatchesAsTheScheduleDoes()
    {
        RunSpec spec;
        spec.model.layers = 8;
        spec.layout.pipeline = 4;
        spec.batch.accumulation = 16;
        const auto activations = [&](PipelineScheduleKind kind) {
            spec.layout.schedule = kind;
            return estimateMemory(spec, {}).bytes[3];
        };
        QVERIFY(activations(PipelineScheduleKind::GPipe) >
                3 * activations(PipelineScheduleKind::OneForwardOneBackward));
    }

    void keepsLessWithRecomputation()
    {
        RunSpec spec;
        spec.model.layers = 8;
        const auto activations = [&](RecomputeKind kind, int every = 1) {
            spec.memory.recompute = kind;
            spec.memory.recomputeEvery = every;
            return estimateMemory(spec, {}).bytes[3];
        };
        const Bytes all = activations(RecomputeKind::None);
        QVERIFY(activations(RecomputeKind::Selective) < all);
        QVERIFY(activations(RecomputeKind::Full) < activations(RecomputeKind::Full, 2));
        QVERIFY(activations(RecomputeKind::Full, 2) < all);
    }

    void predictsEveryPositionOfADecoder()
    {
        RunSpec spec;
        const Bytes masked = estimateMemory(spec, {128, 20}).bytes[3];
        spec.model.family = ModelFamily::Gpt;
        const Bytes perTarget = 4 * Bytes(spec.model.hidden) * 4 + 2 * Bytes(spec.model.vocabulary) * 4;
        QCOMPARE(estimateMemory(spec, {128, 20}).bytes[3],
                 masked + Bytes(spec.batch.micro) * (127 - 20) * perTarget);
    }

    void movesActivationsToTheHost()
    {
        RunSpec spec;
        spec.model.layers = 8;
        const MemoryByCategory kept = estimateMemory(spec, {}).bytes;
        const auto host = std::size_t(MemoryCategory::Host);
        QCOMPARE(kept[host], Bytes(0));
        spec.memory.offloadActivations = true;
        spec.memory.offloadHorizon = 1;
        const MemoryByCategory near = estimateMemory(spec, {}).bytes;
        QCOMPARE(kept[3] - near[3], near[host] / 8 * 6); // two layers of eight stay
        spec.memory.offloadHorizon = 100;
        QCOMPARE(estimateMemory(spec, {}).bytes[3], kept[3]);
    }

    void growsActivationsWithTheMicroBatch()
    {
        RunSpec spec;
        const auto one = estimateMemory(spec, {}).bytes[3];
        spec.batch.micro *= 2;
        QCOMPARE(estimateMemory(spec, {}).bytes[3], 2 * one);
    }
};

QTEST_APPLESS_MAIN(TestMemoryModel)
#include "tst_memory_model.moc"
