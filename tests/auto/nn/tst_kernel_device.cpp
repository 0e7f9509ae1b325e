#include <QTest>

#include <ATen/ops/empty_like.h>
#include <ATen/ops/tensor.h>

#include "engine/nn/language_model.h"
#include "engine/nn/parameters/initialization.h"
#include "engine/spec/names.h"
#include "tests/auto/nn/tiny_model.h"
#include "tests/device/kernels/cuda_on_host/block_executor.h"
#include "tests/support/tested_device/kernel_device.h"

using namespace trainyard;

namespace {

constexpr DropoutKey kDrawKey{42, 3};

/// A width that norms have a kernel for.
ModelSpec kernelModel(ModelFamily family, NormPlacement norm, Activation activation)
{
    ModelSpec model = tinyModel(family);
    model.layers = 1;
    model.hidden = 64;
    model.heads = 4;
    model.intermediate = 72;
    model.norm = norm;
    model.activation = activation;
    model.dropout = 0.1;
    model.attentionDropout = 0.2;
    return model;
}

/// What tinyBatch() has without its padding: 7, 5 and 3 tokens.
TokenBatch packedBatch(const ModelSpec& model)
{
    TokenBatch batch = tinyBatch(model);
    const at::Tensor tokens = batch.attentionMask.view({-1}).nonzero().view({-1});
    for (at::Tensor* tensor : {&batch.inputIds, &batch.tokenTypeIds})
        *tensor = tensor->view({-1}).index_select(0, tokens);
    batch.positionIds = tokens.remainder(batch.attentionMask.size(1));
    batch.packedFrom = batch.attentionMask.size(1);
    batch.packedLengths = {7, 5, 3};
    batch.attentionMask = at::Tensor();
    batch.targetPositions = at::tensor({1, 4, 5, 7, 10, 11, 12, 14}, at::kLong);
    return batch;
}

struct KernelRow {
    const char* name;
    ModelSpec model;
    bool isPacked = false;
    bool isPadded = true;

    TokenBatch batch() const
    {
        TokenBatch batch = isPacked ? packedBatch(model) : tinyBatch(model);
        if (!isPadded)
            batch.attentionMask = at::Tensor();
        return batch;
    }
};

const std::vector<KernelRow>& kernelRows()
{
    using enum ModelFamily;
    using enum NormPlacement;
    static const std::vector<KernelRow> rows{
        {"bert", kernelModel(Bert, Post, Activation::Gelu)},
        {"bert, packed", kernelModel(Bert, Post, Activation::GeluNew), true},
        {"bert with norms in front", kernelModel(Bert, Pre, Activation::GeluNew)},
        {"gpt", kernelModel(Gpt, Pre, Activation::GeluNew)},
        {"gpt without padding", kernelModel(Gpt, Pre, Activation::Swiglu), false, false},
        {"gpt, packed", kernelModel(Gpt, Post, Activation::Gelu), true},
    };
    return rows;
}

struct LossAndGradients {
    double loss = 0;
    at::Tensor gradients; ///< in float64
    std::uint32_t launches = 0;
};

LossAndGradients computedOn(const Device& device, const KernelRow& row, ComputeType type)
{
    LanguageModel model(row.model, type, directRunner(), device);
    for (const Parameter& parameter : model.parameters().parameters()) {
        at::Tensor noise = at::empty_like(parameter.master);
        fillNormal(noise, 11, parameter.spec.name, 0.1);
        parameter.master.copy_(parameter.spec.initialization == Initialization::One ? noise + 1.0 : noise);
    }
    model.parameters().refreshWorkingCopy();
    model.parameters().beginGradients();
    const auto& executor = on_host::BlockExecutor::instance();
    const std::uint32_t before = executor.launchNumber();
    const at::Tensor loss = model.forward(row.batch(), kDrawKey).normalised(8, 3);
    loss.backward();
    return {loss.item<double>(), model.parameters().flatGradients().to(at::kDouble),
            executor.launchNumber() - before};
}

} // namespace

/// The CUDA plug-in's Compute, with its kernels compiled for the processor, against the processor's.
class TestKernelDevice : public QObject {
    Q_OBJECT

private slots:
    void givesTheProcessorsLossesAndGradients_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("bound");
        const struct {
            ComputeType type;
            double bound;
        } types[]{{ComputeType::Float64, 1e-12},
                  {ComputeType::Float32, 3e-6},
                  {ComputeType::BFloat16, 5e-2},
                  {ComputeType::Float16, 8e-3}};
        for (const auto& [type, bound] : types) {
            for (std::size_t row = 0; row < kernelRows().size(); ++row)
                QTest::addRow("%s, %s", nameOf(type).data(), kernelRows()[row].name)
                    << int(row) << int(type) << bound;
        }
    }
    void givesTheProcessorsLossesAndGradients()
    {
        QFETCH(int, row);
        QFETCH(int, type);
        QFETCH(double, bound);
        const KernelRow& computed = kernelRows()[std::size_t(row)];
        const LossAndGradients expected = computedOn({}, computed, ComputeType::Float64);
        const LossAndGradients found = computedOn(kernelDevice(), computed, ComputeType(type));
        QCOMPARE(expected.launches, 0u);
        QCOMPARE_LT(std::abs(found.loss / expected.loss - 1), bound);
        QCOMPARE_LT(
            ((found.gradients - expected.gradients).norm() / expected.gradients.norm()).item<double>(),
            bound);
    }

    /// Nothing falls back to ATen's operators unnoticed. A layer: two norms, an activation, a softmax, and tokens
    /// to heads and back; back the same, and sums of columns behind the norms and the activation. A norm behind the embeddings,
    /// and of the head a norm, an activation and two losses of two launches.
    void launchesTheKernelsOfALayer()
    {
        ModelSpec model = kernelModel(ModelFamily::Bert, NormPlacement::Post, Activation::Gelu);
        std::vector<std::uint32_t> launches;
        for (model.layers = 1; model.layers <= 2; ++model.layers)
            launches.push_back(computedOn(kernelDevice(), {"", model}, ComputeType::Float32).launches);
        QCOMPARE(launches[1] - launches[0], 6u + 9u);
    }
};

QTEST_APPLESS_MAIN(TestKernelDevice)
#include "tst_kernel_device.moc"
