#include <limits>
#include <numeric>

#include <QElapsedTimer>
#include <QTest>

#include "engine/planner/layout/parameter_parts.h"
#include "engine/planner/layout/stage_costs.h"
#include "engine/planner/memory/backward_tensors.h"
#include "engine/planner/memory/in_flight_micro_batches.h"
#include "engine/planner/memory/layer_activations.h"
#include "engine/planner/memory/memory_model.h"
#include "engine/planner/memory/rank_states.h"
#include "engine/planner/pipeline/make_schedule.h"
#include "engine/planner/pipeline/simulator.h"
#include "engine/spec/presets.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

// The default model's tensors have multiples of 32 elements but for two biases: 30522 of the decoder, which
// take 30528, and 2 of the next-sentence head, which take 32.
constexpr Bytes kGaps = 6 + 30;
constexpr auto kHost = std::size_t(MemoryCategory::Host);

} // namespace

class TestMemoryModel : public QObject {
    Q_OBJECT

private slots:
    void addsSixteenBytesPerParameterInFloat32()
    {
        RunSpec spec;
        const auto estimate = estimateMemory(spec, {});
        const Bytes states = estimate.bytes[0] + estimate.bytes[1] + estimate.bytes[2];
        QCOMPARE(states, Bytes(16 * parameterCount(spec.model)) + 8 * kGaps);
    }

    void sharesStatesAmongDataParallelRanks()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.layout.data = 4;
        // One bucket, whose end is a multiple of 4 * 32 elements.
        const Bytes flat = (Bytes(parameterCount(spec.model)) + kGaps + 127) / 128 * 128;
        spec.memory.zeroStage = 1;
        const auto first = estimateMemory(spec, {});
        QCOMPARE(first.bytes[0], 2 * flat + 4 * flat / 4);
        QCOMPARE(first.bytes[1], 4 * flat);
        QCOMPARE(first.bytes[2], 8 * flat / 4); // the first owner's part has no gaps
        spec.memory.zeroStage = 2;
        QCOMPARE(estimateMemory(spec, {}).bytes[1], 4 * flat / 4 + 4 * flat); // and the bucket that passes
    }

    void movesOffloadedStatesToTheHost()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        const Bytes parameters = Bytes(parameterCount(spec.model));
        spec.memory.offloadOptimizer = true;
        const auto estimate = estimateMemory(spec, {});
        QCOMPARE(estimate.bytes[0], 2 * (parameters + kGaps));
        QCOMPARE(estimate.bytes[1], 4 * (parameters + kGaps)); // one bucket, until it was copied
        QCOMPARE(estimate.bytes[2], Bytes(0));
        QCOMPARE(estimate.bytes[kHost], 16 * parameters + 8 * kGaps);
    }

    void keepsNoShareOfOffloadedWeights()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.layout.data = 4;
        spec.memory.zeroStage = 3;
        const Bytes kept = estimateMemory(spec, {}).bytes[0];
        const Bytes owned = rankStates(spec, {spec.model.layers}, {}).kept[0] / 4;
        spec.memory.offloadOptimizer = true; // leaves its share in bfloat16
        QCOMPARE(estimateMemory(spec, {}).bytes[0], kept - 2 * owned);
        spec.memory.offloadParameters = true;
        QCOMPARE(estimateMemory(spec, {}).bytes[0], kept - 4 * owned);
        QCOMPARE(estimateMemory(spec, {}).bytes[kHost],
                 8 * owned + 8 * Bytes(largestRankStates(spec, {spec.model.layers}, 0).updated));
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
        QCOMPARE(estimateMemory(spec, {}).bytes[0], (2 + 4) * (parameters + kGaps));
    }

    void sharesWeightsPartByPart()
    {
        RunSpec spec;
        spec.layout.data = 2;
        spec.memory.zeroStage = 3;
        spec.precision.compute = ComputeType::BFloat16;
        const ParameterParts parts = parameterParts(spec.model);
        // Of the parts the head alone has gaps: 36 of the first owner, and at the second one's end 32 more,
        // which make it a multiple of 2 * 32.
        const Bytes layer = Bytes(parts.perLayer);
        const Bytes embeddings = Bytes(parts.embeddings);
        const Bytes head = (Bytes(parts.head) + kGaps + 63) / 64 * 64;
        const Bytes owned = (embeddings + 2 * layer + head) / 2;
        const auto estimate = estimateMemory(spec, {});
        // The tied head multiplies with the word embeddings while the last layer is already being gathered.
        QCOMPARE(estimate.bytes[0], 4 * owned + 2 * (embeddings + head + layer));
        // With it begins the gradient of the word embeddings, beside that of the head.
        QCOMPARE(estimate.bytes[1], 4 * owned + 4 * (embeddings + head));
        QCOMPARE(estimate.bytes[2], 8 * (owned - 32));
        spec.model.tiedHead = false;
        const Bytes untied = Bytes(parameterParts(spec.model).head) - Bytes(parts.head) + head;
        QCOMPARE(estimateMemory(spec, {}).bytes[0],
                 4 * (embeddings + 2 * layer + untied) / 2 + 2 * (layer + untied));
    }

    void dividesActivationsByTensorRanks()
    {
        RunSpec spec;
        spec.model.layers = 8;
        const auto whole = estimateMemory(spec, {});
        spec.layout.tensor = 2;
        const auto cut = estimateMemory(spec, {});
        QVERIFY(cut.bytes[3] > whole.bytes[3] / 2 && cut.bytes[3] < whole.bytes[3]);
        spec.layout.sequence = true;
        QVERIFY(estimateMemory(spec, {}).bytes[3] < cut.bytes[3]);
    }

    void plansForTheStageThatHoldsMost()
    {
        RunSpec spec;
        spec.model.layers = 8;
        spec.layout.pipeline = 4;
        spec.batch = {.global = 4, .micro = 1, .accumulation = 4};
        const SequenceShape shape{1, 0}; // hardly any activations: states decide
        const ParameterParts parts = parameterParts(spec.model);
        QCOMPARE(estimateMemory(spec, shape).bytes[0], 4 * Bytes(2 * parts.perLayer + parts.embeddings));
        spec.model.maxPositions = 128; // now the head and its copy of the words are more than the embeddings
        QCOMPARE(estimateMemory(spec, shape).bytes[0],
                 4 * (Bytes(2 * parts.perLayer + parts.head + parts.words) + kGaps));
        spec.layout.partition = {PartitionKind::ByHand, {1, 5, 1, 1}};
        spec.model.vocabulary = 100; // now the layers weigh more
        QCOMPARE(estimateMemory(spec, shape).bytes[0], Bytes(4 * 5 * parts.perLayer));
    }

    void sharesTokensAndStatesAmongContextRanks()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.memory.zeroStage = 1;
        spec.layout.data = 4;
        const SequenceShape shape{512, 0}; // the head's share is not even
        const MemoryByCategory byData = estimateMemory(spec, shape).bytes;
        spec.layout.data = 2;
        spec.layout.context = 2;
        const MemoryByCategory both = estimateMemory(spec, shape).bytes;
        QCOMPARE(both[0], byData[0]);
        QCOMPARE(both[2], byData[2]);
        QVERIFY(2 * both[3] < byData[3]); // half the tokens, and no scores
        const Bytes keysAndValues = 2 * Bytes(spec.batch.micro) * 256 * Bytes(spec.model.hidden);
        QCOMPARE(both[std::size_t(MemoryCategory::Communication)], 2 * keysAndValues * (2 + 4));
        QCOMPARE(byData[std::size_t(MemoryCategory::Communication)], Bytes(0));
    }

    void holdsAsManyMicroBatchesAsTheScheduleDoes_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("chunks");
        QTest::addColumn<int>("microBatches");
        QTest::addRow("gpipe") << int(PipelineScheduleKind::GPipe) << 1 << 16;
        QTest::addRow("1f1b") << int(PipelineScheduleKind::OneForwardOneBackward) << 1 << 16;
        QTest::addRow("interleaved") << int(PipelineScheduleKind::Interleaved) << 2 << 16;
        QTest::addRow("interleaved, unequal groups") << int(PipelineScheduleKind::Interleaved) << 2 << 14;
        QTest::addRow("interleaved, one group") << int(PipelineScheduleKind::Interleaved) << 2 << 4;
        QTest::addRow("zero-bubble") << int(PipelineScheduleKind::ZeroBubble) << 1 << 16;
    }
    void holdsAsManyMicroBatchesAsTheScheduleDoes()
    {
        QFETCH(int, kind);
        QFETCH(int, chunks);
        QFETCH(int, microBatches);
        RunSpec spec;
        spec.model.layers = 8;
        spec.layout.pipeline = 4;
        spec.layout.schedule = PipelineScheduleKind(kind);
        spec.layout.virtualStages = chunks;
        spec.batch.accumulation = microBatches;
        const std::vector<int> held = peakInFlight(makeSchedule(spec).value());
        for (std::size_t rank = 0; rank < held.size(); ++rank) {
            const std::vector<Bytes> passes = inFlightMicroBatches(spec, int(rank));
            QCOMPARE(passes.size(), std::size_t(chunks));
            const Bytes pending = pendingMicroBatches(spec, int(rank));
            QCOMPARE(std::accumulate(passes.begin(), passes.end(), pending), Bytes(held[rank]));
        }
    }

    void hasOneStageWithoutAPipelineWhateverTheSpecificationSaysOfChunks()
    {
        RunSpec spec;
        const MemoryByCategory plain = estimateMemory(spec, {}).bytes;
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        spec.layout.virtualStages = 2;
        QCOMPARE(inFlightMicroBatches(spec, 0), std::vector<Bytes>{1});
        QCOMPARE(estimateMemory(spec, {}).bytes, plain);
        QCOMPARE(layersPerStage(spec, {}).value(), std::vector{spec.model.layers});
    }

    // engine/nn/attention.cpp: one kernel on CUDA, which keeps a bit of each score where attention drops.
    void keepsNoScoresWhereOneKernelMakesAttention()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.launch.device = DeviceKind::Cuda;
        const auto attention = [&](int tokens) { return layerActivations(spec, Bytes(tokens)).attention; };
        const auto rows = static_cast<Bytes>(spec.batch.micro * spec.model.heads) * 512;
        QCOMPARE(spec.model.hidden, 64 * spec.model.heads);
        QCOMPARE(attention(512), rows * (512 / 8 + 4));
        QCOMPARE(attention(500), rows / 512 * 500 * (500 * 2 * 2 + 4)); // no whole tiles
        spec.model.attentionDropout = 0;
        QCOMPARE(attention(512), 2 * attention(256));
        QCOMPARE(attention(512), rows * 4);
        spec.precision.compute = ComputeType::Float64; // no such kernel has that
        QCOMPARE(attention(512), rows * (512 * 2 * 8 + 8));
        spec.precision.compute = ComputeType::BFloat16;
        for (const DeviceKind device : {DeviceKind::Cpu, DeviceKind::Auto}) {
            spec.launch.device = device;
            QCOMPARE(attention(512), 4 * attention(256));
        }
    }

    // engine/device/cuda: the backward pass draws dropout again.
    void keepsNoDropoutMasksOnCuda()
    {
        RunSpec spec;
        const auto rest = [&](DeviceKind device, double dropout) {
            spec.launch.device = device;
            spec.model.dropout = dropout;
            return layerActivations(spec, 128).rest;
        };
        const auto masks =
            2 * static_cast<Bytes>(spec.batch.micro) * 128 * static_cast<Bytes>(spec.model.hidden);
        QCOMPARE(rest(DeviceKind::Cpu, 0.1) - rest(DeviceKind::Cpu, 0), masks);
        QCOMPARE(rest(DeviceKind::Cuda, 0.1), rest(DeviceKind::Cuda, 0));
    }

    // gradients of outputs, queries, keys and values, and a float32 sum of one of them.
    void needsNoMemoryForScoresOfLongSequencesEither()
    {
        RunSpec spec;
        spec.precision.compute = ComputeType::BFloat16;
        spec.model.attentionDropout = 0;
        spec.launch.device = DeviceKind::Cuda;
        const auto made = [&](Bytes tokens) { return layerBackward(spec, tokens).attention.made; };
        QCOMPARE(made(8192), 2 * made(4096));
    }

    void countsNoFurtherThanANumberHolds()
    {
        RunSpec spec;
        spec.model.family = ModelFamily::Gpt;
        spec.model.layers = 1;
        spec.model.hidden = 2048;
        spec.model.heads = 1024;
        spec.model.attentionDropout = 0;
        spec.batch = {1 << 20, 1 << 20, 1};
        for (const DeviceKind device : {DeviceKind::Cpu, DeviceKind::Cuda}) {
            spec.launch.device = device;
            QVERIFY(estimateMemory(spec, {1 << 24, 0}).bytes[3] >= Bytes{1} << 60);
        }
        spec.batch.micro = 1 << 10;
        QVERIFY(estimateMemory(spec, {1 << 10, 0}).bytes[3] < Bytes{1} << 60);
    }

    void countsRingAttentionOfManySequencesAndHeads()
    {
        RunSpec spec;
        spec.model.heads = 2048;
        spec.model.hidden = 4096;
        spec.layout.context = 2;
        spec.batch.micro = 1 << 19;
        const Bytes half = layerBackward(spec, 8).attention.made;
        spec.batch.micro = 1 << 20; // micro-batch times heads is 2^31
        QCOMPARE(layerBackward(spec, 8).attention.made, 2 * half);
    }

    void givesTheHeadToTheLastPipelineRank()
    {
        RunSpec spec;
        spec.layout.pipeline = 2;
        const auto without = memoryOfPipelineRanks(spec, {128, 0});
        const auto with = memoryOfPipelineRanks(spec, {128, 20});
        QCOMPARE(with[0], without[0]);
        QVERIFY(with[1][3] > without[1][3]);
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
        const auto activations = [&](ModelFamily family, int vocabulary) {
            spec.model.family = family;
            spec.model.vocabulary = vocabulary;
            return estimateMemory(spec, {128, 20}).bytes[3];
        };
        const auto logits = [&](ModelFamily family) {
            return activations(family, 30000) - activations(family, 20000);
        };
        const Bytes perTarget = 2 * 10000 * 4; // with their gradient
        QCOMPARE(logits(ModelFamily::Bert), Bytes(spec.batch.micro) * 20 * perTarget);
        QCOMPARE(logits(ModelFamily::Gpt), Bytes(spec.batch.micro) * 127 * perTarget);
    }

    void movesActivationsToTheHost()
    {
        RunSpec spec;
        spec.model.layers = 8;
        const MemoryByCategory kept = estimateMemory(spec, {}).bytes;
        QCOMPARE(kept[kHost], Bytes(0));
        spec.memory.offloadActivations = true;
        spec.memory.offloadHorizon = 1;
        const MemoryByCategory near = estimateMemory(spec, {}).bytes;
        QCOMPARE(kept[3] - near[3], near[kHost]); // at the head, where one layer of eight is back
        QCOMPARE(near[kHost], keptActivations(spec, layerActivations(spec, 128), 7));
        spec.memory.offloadHorizon = 100;
        QCOMPARE(estimateMemory(spec, {}).bytes[3], kept[3]);
    }

    void tellsWhatStaysFromWhatComesAndGoes()
    {
        RunSpec spec;
        spec.layout.data = 2;
        spec.memory.zeroStage = 3;
        spec.batch.micro = 1; // the logits are smaller than the gradient of the decoder
        const MemoryEstimate estimate = estimateMemory(spec, {});
        const RankStates states = largestRankStates(spec, {spec.model.layers}, 0);
        for (const auto category : {MemoryCategory::Weights, MemoryCategory::Gradients}) {
            QCOMPARE(estimate.resident[std::size_t(category)], states.kept[std::size_t(category)]);
            QVERIFY(estimate.bytes[std::size_t(category)] > estimate.resident[std::size_t(category)]);
        }
        QCOMPARE(estimate.resident[2], estimate.bytes[2]);
        QCOMPARE(estimate.resident[3], Bytes(0));
    }

    // What is on the host then is not all that ever is.
    void countsHostMemoryAtItsOwnPeakWhereItIsApart()
    {
        RunSpec spec;
        spec.model.layers = 8;
        spec.model.vocabulary = 100; // the device holds most inside a layer
        spec.memory.offloadActivations = true;
        const Bytes apart = estimateMemory(spec, {}).bytes[kHost];
        spec.launch.device = DeviceKind::Cpu;
        const Bytes together = estimateMemory(spec, {}).bytes[kHost];
        QCOMPARE(apart - together, keptActivations(spec, layerActivations(spec, 128), 1));
    }

    void answersAtOnceWhateverIsTyped_data()
    {
        QTest::addColumn<int>("number");
        for (const int number : {-1, 0, 1, 7, 1000, std::numeric_limits<int>::max()})
            QTest::addRow("%d", number) << number;
    }
    void answersAtOnceWhateverIsTyped()
    {
        QFETCH(int, number);
        const auto asks = [number](auto&& reach) {
            for (const int zeroStage : {0, 3}) {
                RunSpec spec;
                spec.memory.zeroStage = zeroStage;
                spec.layout.pipeline = 2;
                spec.checkpoint.everySteps = 1;
                spec.memory.recompute = RecomputeKind::Full;
                reach(spec) = number;
                estimateMemory(spec, {});
            }
        };
        QElapsedTimer clock;
        clock.start();
        asks([](RunSpec& spec) -> int& { return spec.layout.data; });
        asks([](RunSpec& spec) -> int& { return spec.layout.tensor; });
        asks([](RunSpec& spec) -> int& { return spec.layout.pipeline; });
        asks([](RunSpec& spec) -> int& { return spec.layout.virtualStages; });
        asks([](RunSpec& spec) -> int& { return spec.model.layers; });
        asks([](RunSpec& spec) -> int& { return spec.batch.accumulation; });
        asks([](RunSpec& spec) -> int& { return spec.memory.recomputeEvery; });
        asks([](RunSpec& spec) -> int& { return spec.memory.offloadHorizon; });
        QVERIFY2(clock.elapsed() < kPatienceMs, qPrintable(QString::number(clock.elapsed())));
    }

    void plansPackedRowsAsIfTheyWereFull()
    {
        RunSpec spec;
        const Bytes padded = estimateMemory(spec, {}).bytes[3];
        spec.batch.packing = true;
        QCOMPARE(estimateMemory(spec, {}).bytes[3], padded);
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
