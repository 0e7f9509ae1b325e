#include <QTest>

#include <functional>
#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/silu.h>
#include <torch/autograd.h>

#include "engine/nn/activation.h"
#include "engine/nn/add_norm.h"
#include "engine/nn/cross_entropy.h"
#include "engine/nn/families/head_layout.h"
#include "engine/nn/layers.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "engine/nn/parameters/parameter_store.h"
#include "tests/support/tested_device/tested_device.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kRows = 131; // two blocks of rows and a part of one
constexpr std::int64_t kWidth = 83; // no multiple of a vector register

// The same numbers in every run, between -3 and 3.
at::Tensor waves(at::IntArrayRef shape, double phase, at::ScalarType type)
{
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        count *= size;
    const at::Tensor values = at::arange(count, at::TensorOptions().dtype(at::kDouble));
    return ((values * 0.7310585 + phase).sin() * 3).view(shape).to(type).requires_grad_(true);
}

using Operator = std::function<at::Tensor(const std::vector<at::Tensor>&)>;

/// Result and gradients of the sum of result times waves, in float64.
std::vector<at::Tensor> resultAndGradients(const Operator& compute, const std::vector<at::Tensor>& inputs)
{
    const at::Tensor result = compute(inputs);
    const at::Tensor weights = waves(result.sizes(), 0.5, at::kDouble).detach();
    auto all = torch::autograd::grad({(result.to(at::kDouble) * weights).sum()}, inputs);
    all.insert(all.begin(), result.detach());
    for (at::Tensor& tensor : all)
        tensor = tensor.to(at::kDouble);
    return all;
}

/// Largest difference relative to the largest number.
double differenceOf(const at::Tensor& found, const at::Tensor& expected)
{
    return (found.to(at::kDouble) - expected).abs().max().item<double>() /
           expected.abs().max().item<double>();
}

/// Of result and gradients. The reference computes with the same inputs in float64.
double largestDifference(const Operator& fused, const Operator& plain, const std::vector<at::Tensor>& inputs)
{
    std::vector<at::Tensor> exact;
    for (const at::Tensor& input : inputs)
        exact.push_back(input.detach().to(at::kDouble).requires_grad_(true));
    const auto found = resultAndGradients(fused, inputs);
    const auto expected = resultAndGradients(plain, exact);
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        largest = std::max(largest, differenceOf(found[i], expected[i]));
    return largest;
}

/// Rounding of a type, times a few operations.
double boundOf(at::ScalarType type)
{
    return type == at::kDouble ? 1e-13 : type == at::kFloat ? 3e-6 : type == at::kHalf ? 4e-3 : 3e-2;
}

void addTypes()
{
    QTest::addColumn<int>("type");
    QTest::addRow("float64") << int(at::kDouble);
    QTest::addRow("float32") << int(at::kFloat);
    QTest::addRow("bfloat16") << int(at::kBFloat16);
    QTest::addRow("float16") << int(at::kHalf);
}

at::Tensor plainActivation(const at::Tensor& x, Activation activation)
{
    switch (activation) {
    case Activation::Geglu:
    case Activation::Gelu:
        return at::gelu(x);
    case Activation::GegluNew:
    case Activation::GeluNew:
        return at::gelu(x, "tanh");
    case Activation::Relu:
        return at::relu(x);
    default:
        return at::silu(x);
    }
}

} // namespace

class TestFused : public QObject {
    Q_OBJECT

private slots:
    void activatesLikeATen_data() { addTypes(); }
    void activatesLikeATen()
    {
        QFETCH(int, type);
        const auto scalar = at::ScalarType(type);
        const std::vector<at::Tensor> inputs{waves({kRows, kWidth}, 0, scalar), waves({kWidth}, 1, scalar)};
        for (const Activation activation :
             {Activation::Gelu, Activation::GeluNew, Activation::Relu, Activation::Swiglu}) {
            QCOMPARE_LT(largestDifference(
                            [&](const auto& in) {
                                return activateUngated(in[0], in[1], activation, *testedDevice().compute);
                            },
                            [&](const auto& in) { return plainActivation(in[0] + in[1], activation); },
                            inputs),
                        boundOf(scalar));
            QCOMPARE_LT(largestDifference(
                            [&](const auto& in) {
                                return activateUngated(in[0], {}, activation, *testedDevice().compute);
                            },
                            [&](const auto& in) { return plainActivation(in[0], activation); }, {inputs[0]}),
                        boundOf(scalar));
        }
    }

    void activatesFarFromZero()
    {
        const at::Tensor far =
            at::arange(-60.0, 60.0, 0.37).to(at::kFloat).view({1, -1}).requires_grad_(true);
        for (const Activation activation : {Activation::Gelu, Activation::GeluNew, Activation::Swiglu})
            QCOMPARE_LT(largestDifference(
                            [&](const auto& in) {
                                return activateUngated(in[0], {}, activation, *testedDevice().compute);
                            },
                            [&](const auto& in) { return plainActivation(in[0], activation); }, {far}),
                        1e-6);
        const at::Tensor nan = at::full({1, 40}, std::numeric_limits<float>::quiet_NaN());
        QVERIFY(
            activateUngated(nan, {}, Activation::Gelu, *testedDevice().compute).isnan().all().item<bool>());
    }

    void normalisesSumsLikeATen_data() { addTypes(); }
    void normalisesSumsLikeATen()
    {
        QFETCH(int, type);
        const auto scalar = at::ScalarType(type);
        const std::vector<at::Tensor> inputs{waves({kRows, kWidth}, 0, scalar), waves({kWidth}, 1, scalar),
                                             waves({kWidth}, 2, scalar), waves({kWidth}, 3, scalar),
                                             waves({kRows, kWidth}, 4, scalar)};
        // The sums over rows nearly cancel: rounding of the terms is large beside them.
        const double bound = boundOf(scalar) * (at::elementSize(scalar) == 2 ? 10 : 1);
        const auto norm = [](const at::Tensor& x, const auto& in) {
            return at::layer_norm(x, {kWidth}, in[1], in[2], 1e-5);
        };
        QCOMPARE_LT(
            largestDifference(
                [&](const auto& in) {
                    return addNorm(in[0], in[3], in[4], {in[1], in[2]}, 1e-5, *testedDevice().compute);
                },
                [&](const auto& in) { return norm(in[0] + in[3] + in[4], in); }, inputs),
            bound);
        QCOMPARE_LT(largestDifference(
                        [&](const auto& in) {
                            return addNorm(in[0], {}, in[3], {in[1], in[2]}, 1e-5, *testedDevice().compute);
                        },
                        [&](const auto& in) { return norm(in[0] + in[3], in); },
                        {inputs[0], inputs[1], inputs[2], inputs[4]}),
                    bound);
        QCOMPARE_LT(largestDifference(
                        [&](const auto& in) {
                            return addNorm(in[0], {}, {}, {in[1], in[2]}, 1e-5, *testedDevice().compute);
                        },
                        [&](const auto& in) { return norm(in[0], in); }, {inputs[0], inputs[1], inputs[2]}),
                    bound);
    }

    void sumsCrossEntropyLikeATen_data() { addTypes(); }
    void sumsCrossEntropyLikeATen()
    {
        QFETCH(int, type);
        const auto scalar = at::ScalarType(type);
        const at::Tensor targets = at::arange(kRows, at::kLong).mul_(37).remainder_(kWidth);
        const auto plain = [&](const auto& in) {
            return at::cross_entropy_loss(in[0], targets, {}, at::Reduction::Sum);
        };
        for (const double factor : {1.0, 30.0}) {
            // Of two exponentials in float32, each off by its argument's rounding.
            const double ofExponents = scalar == at::kFloat ? 2 * factor * 0x1p-24 : 0;
            QCOMPARE_LT(
                largestDifference(
                    [&](const auto& in) { return crossEntropySum(in[0], targets, *testedDevice().compute); },
                    plain, {(waves({kRows, kWidth}, 0, scalar).detach() * factor).requires_grad_(true)}),
                boundOf(scalar) + ofExponents);
        }
    }

    void movesHeadsLikeATen_data() { addTypes(); }
    void movesHeadsLikeATen()
    {
        QFETCH(int, type);
        const auto scalar = at::ScalarType(type);
        const HeadShape shape{3, 2, 5, 7};
        for (std::size_t part = 0; part < 3; ++part) {
            const auto plain = [&](const auto& in) {
                const auto parts = in[0].view({3, 5, 3, 2, 7}).permute({2, 0, 3, 1, 4}).unbind(0);
                return part == 0 ? parts[0] * 0.25 : parts[part];
            };
            QCOMPARE_LT(largestDifference(
                            [&](const auto& in) {
                                return splitHeads(in[0], shape, 0.25, *testedDevice().compute)[part];
                            },
                            plain, {waves({15, 42}, 0, scalar)}),
                        boundOf(scalar));
        }
        QCOMPARE_LT(
            largestDifference([](const auto& in) { return mergeHeads(in[0], *testedDevice().compute); },
                              [](const auto& in) {
                                  return in[0].transpose(1, 2).reshape({15, 14});
                              },
                              {waves({3, 2, 5, 7}, 0, scalar)}),
            boundOf(scalar));
    }

    // Those of two micro-batches meet in the flat buffer.
    void collectsGradientsOfLinear_data() { addTypes(); }
    void collectsGradientsOfLinear()
    {
        QFETCH(int, type);
        const auto scalar = at::ScalarType(type);
        const ComputeType compute = scalar == at::kDouble     ? ComputeType::Float64
                                    : scalar == at::kFloat    ? ComputeType::Float32
                                    : scalar == at::kBFloat16 ? ComputeType::BFloat16
                                                              : ComputeType::Float16;
        ParameterStore store({{"weight", {9, 4}, Initialization::Normal, true, false},
                              {"bias", {9}, Initialization::Zero, false, false}},
                             compute);
        store.initialize(1, 1.0);
        int told = 0;
        store.setGradientListener([&](std::size_t) { ++told; });
        store.flatGradients().fill_(100); // left from the step before
        store.beginGradients();
        const at::Tensor input = waves({6, 4}, 0, scalar).detach();
        for (int micro = 0; micro < 2; ++micro)
            linear(input, {store.leaf("weight"), store.leaf("bias")}, *testedDevice().compute)
                .to(at::kDouble)
                .pow(2)
                .sum()
                .backward();

        const at::Tensor weight = store.leaf("weight").detach().to(at::kDouble).requires_grad_(true);
        const at::Tensor bias = store.leaf("bias").detach().to(at::kDouble).requires_grad_(true);
        const auto expected = torch::autograd::grad(
            {at::linear(input.to(at::kDouble), weight, bias).pow(2).sum() * 2}, {weight, bias});
        QCOMPARE(told, 4);
        QCOMPARE_LT(differenceOf(store.parameter("weight").gradient, expected[0]), boundOf(scalar));
        QCOMPARE_LT(differenceOf(store.parameter("bias").gradient, expected[1]), boundOf(scalar));
        QVERIFY(!store.leaf("weight").grad().defined());
    }
};

QTEST_APPLESS_MAIN(TestFused)
#include "tst_fused.moc"
