#include <optional>

#include <torch/autograd.h>

#include "engine/memory/accounting_allocator.h"
#include "engine/memory/memory_scope.h"
#include "engine/model/model_parameters.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/nn/transformer_stage.h"
#include "engine/parallel/offload/offload_runner.h"
#include "engine/parallel/recompute/recompute_runner.h"
#include "tests/auto/nn/tiny_model.h"
#include "tests/support/tested_device/tested_device.h"

#include <QTest> // after LibTorch, which uses the name "slots"

using namespace trainyard;

namespace {

constexpr DropoutKey kKey{11, 3};

Bytes bytesOf(MemoryCategory category)
{
    return AccountingAllocator::install().ledger().current().bytes[std::size_t(category)];
}

/// Writes down how much is in host memory when the backward pass comes to each layer, before anything of it
/// is brought back for that layer.
class Watch final : public LayerRunner {
public:
    at::Tensor run(int part, const at::Tensor& input, const Part& compute) override
    {
        const at::Tensor output = compute(input);
        output.register_hook(
            [this, part](const at::Tensor&) { hostBytes[part] = bytesOf(MemoryCategory::Host); });
        return output;
    }

    std::map<int, Bytes> hostBytes;
};

/// A model, and runners for it, of which the outermost is used.
struct Setup {
    Setup(const ModelSpec& model, const MemorySpec& memory, LayerRunner* inner = nullptr)
        : parameters(modelParameters(model), ComputeType::Float32, {}, GradientResidence::Whole,
                     WeightResidence::Whole, {testedDevice()})
        , recompute(memory, model.layers)
    {
        parameters.initialize(3, model.initializerRange);
        LayerRunner& computing = inner ? *inner : recompute;
        if (memory.offloadActivations)
            offload.emplace(memory, model.layers, parameters, computing);
        stage.emplace(model, StageRange{true, 0, model.layers, true}, parameters,
                      offload ? *offload : computing);
    }

    at::Tensor lossOf(const TokenBatch& batch) const
    {
        return stage->forward({batch, {}, kKey}).losses.normalised(7, 5);
    }

    ParameterStore parameters;
    RecomputeRunner recompute;
    std::optional<OffloadRunner> offload;
    std::optional<TransformerStage> stage;
};

/// Two micro-batches whose passes are interleaved, as in a pipeline; the second one is shorter.
at::Tensor gradientsOf(const ModelSpec& model, const MemorySpec& memory)
{
    Setup setup(model, memory);
    const TokenBatch first = tinyBatch(model);
    TokenBatch second = first;
    second.sampleIndices = {7, 8, 9};
    setup.parameters.beginGradients();
    const at::Tensor firstLoss = setup.lossOf(first);
    const at::Tensor secondLoss = setup.lossOf(second);
    firstLoss.backward();
    secondLoss.backward();
    return setup.parameters.flatGradients().clone();
}

} // namespace

class TestOffloadRunner : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { AccountingAllocator::install(); }

    void changesNoBit_data()
    {
        QTest::addColumn<int>("family");
        QTest::addColumn<int>("recompute");
        QTest::addColumn<int>("horizon");
        for (const auto family : {ModelFamily::Bert, ModelFamily::Gpt}) {
            for (const auto kind : {RecomputeKind::None, RecomputeKind::Selective, RecomputeKind::Full}) {
                for (const int horizon : {0, 1, 5})
                    QTest::addRow("family %d, recompute %d, horizon %d", int(family), int(kind), horizon)
                        << int(family) << int(kind) << horizon;
            }
        }
    }
    void changesNoBit()
    {
        QFETCH(int, family);
        QFETCH(int, recompute);
        QFETCH(int, horizon);
        const ModelSpec model = tinyModel(ModelFamily(family));
        MemorySpec memory{.recompute = RecomputeKind(recompute)};
        const at::Tensor expected = gradientsOf(model, memory);
        memory.offloadActivations = true;
        memory.offloadHorizon = horizon;
        QVERIFY(gradientsOf(model, memory).equal(expected));
        QVERIFY(expected.abs().sum().item<double>() > 0);
    }

    void movesActivationsOutOfTheWay()
    {
        ModelSpec model = tinyModel(ModelFamily::Bert);
        model.layers = 8;
        const auto afterForward = [&](bool offload) {
            Setup setup(model, {.offloadActivations = offload});
            const TokenBatch batch = tinyBatch(model);
            const MemoryScope scope(MemoryCategory::Activations);
            const Bytes before = bytesOf(MemoryCategory::Activations);
            const at::Tensor loss = setup.lossOf(batch);
            return std::pair{bytesOf(MemoryCategory::Activations) - before, bytesOf(MemoryCategory::Host)};
        };
        const auto [kept, nothing] = afterForward(false);
        const auto [rest, host] = afterForward(true);
        qInfo("activations %llu bytes, with offload %llu and %llu in host memory", (unsigned long long)(kept),
              (unsigned long long)(rest), (unsigned long long)(host));
        QCOMPARE(nothing, Bytes(0));
        QVERIFY(4 * rest < kept);
        QVERIFY(host >= kept - rest);
        QCOMPARE(bytesOf(MemoryCategory::Host), Bytes(0)); // gone with the graph
    }

    void bringsLayersBackAheadOfTheBackwardPass_data()
    {
        QTest::addColumn<int>("horizon");
        for (const int horizon : {0, 1, 2, 9})
            QTest::addRow("%d layers ahead", horizon) << horizon;
    }
    void bringsLayersBackAheadOfTheBackwardPass()
    {
        QFETCH(int, horizon);
        ModelSpec model = tinyModel(ModelFamily::Bert);
        model.layers = 4;
        Watch watch;
        Setup setup(model, {.offloadActivations = true, .offloadHorizon = horizon}, &watch);
        const at::Tensor loss = setup.lossOf(tinyBatch(model));
        const Bytes all = bytesOf(MemoryCategory::Host);
        QVERIFY(all > 0);
        loss.backward();
        QCOMPARE(watch.hostBytes[model.layers], all); // nobody has asked for anything at the head
        for (int layer = 0; layer < model.layers; ++layer) {
            const int away = std::max(0, layer + 1 - horizon);
            QCOMPARE(watch.hostBytes[layer], all / 4 * Bytes(away));
        }
        QCOMPARE(bytesOf(MemoryCategory::Host), Bytes(0));
    }
};

QTEST_APPLESS_MAIN(TestOffloadRunner)
#include "tst_offload_runner.moc"
