#include <QTest>

#include <functional>
#include <limits>
#include <vector>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

#include "engine/nn/compute/compute.h"
#include "engine/nn/parameters/gradient_collector.h"
#include "tests/support/device/emulated_device.h"
#include "tests/support/tested_device/kernel_device.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kTokens = 130; // two blocks of rows and a part of one
constexpr std::int64_t kColumns = 64;
constexpr std::int64_t kPaddingWord = 3;
const HeadShape kHeads{5, 4, 26, 16}; // of as many tokens and columns

/// Numbers that look random, between -2 and 2.
at::Tensor numbers(std::initializer_list<std::int64_t> shape, double phase, at::ScalarType type = at::kDouble)
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return (at::arange(count, at::kDouble) * 0.7310585 + phase).sin().mul_(2).view(shape).to(type);
}

at::Tensor ids()
{
    return at::arange(kTokens, at::kLong) * 37 % 11;
}

/// Relative to the size of the whole tensor.
double gap(const at::Tensor& found, const at::Tensor& expected)
{
    const at::Tensor exact = expected.to(at::kDouble);
    return ((found.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

using Results = std::vector<at::Tensor>;

Results normOf(const Compute& compute, const at::Tensor& bias, const at::Tensor& residual)
{
    const at::Tensor weight = numbers({kColumns}, 3);
    const NormForward forward = compute.normForward({numbers({kTokens, kColumns}, 0), bias, residual}, weight,
                                                    numbers({kColumns}, 4), 1e-5);
    const NormGradients gradients = compute.normBackward(
        {numbers({kTokens, kColumns}, 5), forward.sum, forward.mean_T, forward.scale_T, weight});
    return {forward.output, forward.sum, gradients.sum, gradients.weight, gradients.shift, gradients.bias};
}

const DropoutRates kRates{1u << 30, 1.0 / 0.75, {{1, 2}, 3, 4, 0}};

Results droppedNormOf(const Compute& compute, const at::Tensor& bias, const at::Tensor& residual)
{
    const std::vector<DropoutPart> rows{{7, 3, 50}, {9, 0, kTokens - 50}};
    const at::Tensor places = compute.placesOf(rows, {}, at::kCPU).tokens;
    const at::Tensor weight = numbers({kColumns}, 3);
    const NormForward forward =
        compute.dropNormForward({numbers({kTokens, kColumns}, 0), bias, residual}, {rows, places, kRates},
                                weight, numbers({kColumns}, 4), 1e-5);
    const NormGradients gradients = compute.dropNormBackward(
        {numbers({kTokens, kColumns}, 5), forward.sum, forward.mean_T, forward.scale_T, weight},
        {forward.mask, places, kRates});
    return {forward.output,   forward.sum,     gradients.sum, gradients.input,
            gradients.weight, gradients.shift, gradients.bias};
}

/// As a tile of ring attention has them: 3 heads of 5 rows of 11 keys, of two samples.
Results droppedRows(const Compute& compute)
{
    std::vector<DropoutPart> parts;
    for (const std::uint64_t sample : {7, 9}) {
        for (std::int64_t row = 0; row < 15; ++row)
            parts.push_back({sample, ((2 + row / 5) * 40 + 20 + row % 5) * 40 + 8, 11});
    }
    return {compute.drop(numbers({2, 3, 5, 11}, 0), {parts, kRates}).values};
}

/// Of three sequences of `queries` tokens and four heads, the last of eight.
Results probabilitiesOf(const Compute& compute, const at::Tensor& bias, std::int64_t queries, bool isCausal,
                        const DropoutRates& rates)
{
    const std::vector<std::uint64_t> samples{7, 9, 1ull << 40};
    const ScoreInput input{
        bias, isCausal, {samples, compute.placesOf({}, samples, at::kCPU).sequences, 9, 4, rates}};
    Probabilities forward = compute.probabilities(numbers({3, 4, queries, queries}, 0), input);
    return {forward.values,
            compute.probabilitiesGradient(numbers({3, 4, queries, queries}, 1), forward, input)};
}

at::Tensor laterKeysBias(std::int64_t length)
{
    return at::full({1, 1, length, length}, std::numeric_limits<double>::lowest(), at::kDouble).triu_(1);
}

Results activationOf(const Compute& compute, Activation activation, const at::Tensor& bias)
{
    const at::Tensor input = numbers({kTokens, kColumns}, 0);
    const ActivationGradients gradients =
        compute.activationBackward(numbers({kTokens, kColumns}, 1), input, bias, activation);
    Results results{compute.activationForward(input, bias, activation), gradients.input};
    if (bias.defined())
        results.push_back(gradients.bias);
    return results;
}

Results headsOf(const Compute& compute, double scale)
{
    const HeadTensors heads = compute.splitHeads(numbers({kTokens, 3 * kColumns}, 0), kHeads, scale);
    const auto turned = [&](double phase) { // as the gradients of a product come
        return numbers({kHeads.sequences, kHeads.length, kHeads.heads, kHeads.width}, phase).transpose(1, 2);
    };
    return {heads[0],
            heads[1],
            heads[2],
            compute.joinHeads({turned(1), turned(2), turned(3)}, scale),
            compute.mergeHeads(turned(4)),
            compute.unmergeHeads(numbers({kTokens, kColumns}, 5), kHeads)};
}

Results lossOf(const Compute& compute, double size)
{
    const at::Tensor logits = numbers({kTokens, kColumns}, 0).mul_(size);
    const RowLosses losses = compute.rowLosses(logits, ids());
    return {losses.sum, losses.logSums_M,
            compute.rowLossGradient(logits, ids(), losses.logSums_M, at::full({}, 0.25, at::kDouble))};
}

Results droppedBy(const Compute& compute)
{
    const std::vector<DropoutPart> parts{{7, 100, 40 * kColumns}, {9, 0, (kTokens - 40) * kColumns}};
    const Dropped dropped =
        compute.drop(numbers({kTokens, kColumns}, 0), {parts, {1u << 30, 1.0 / 0.75, {{1, 2}, 3, 4, 0}}});
    return {dropped.values, compute.dropAgain(numbers({kColumns, kTokens}, 1).t(), dropped.mask, 1.0 / 0.75)};
}

/// Of a place that holds `before`, or nothing yet.
template <typename Put>
at::Tensor placed(std::initializer_list<std::int64_t> shape, at::ScalarType type, bool isFilled,
                  const Put& put)
{
    const GradientPlace place{isFilled ? numbers(shape, 9, type) : at::full(shape, 100, type), isFilled};
    put(place);
    return place.values;
}

Results sumsOf(const Compute& compute, at::ScalarType type)
{
    const at::ScalarType wide = type == at::kDouble ? at::kDouble : at::kFloat;
    const at::Tensor gradient = numbers({kTokens, kColumns}, 0, type);
    const at::Tensor input = numbers({kTokens, 20}, 1, type);
    Results results{compute.columnSums(gradient)};
    for (const bool isFilled : {false, true}) {
        results.push_back(placed({kColumns, 20}, wide, isFilled, [&](const GradientPlace& place) {
            compute.putProduct(place, gradient.t(), input);
        }));
        results.push_back(placed({11, kColumns}, wide, isFilled, [&](const GradientPlace& place) {
            compute.putRows(place, gradient, ids(), kPaddingWord);
        }));
    }
    return results;
}

} // namespace

/// The arithmetic of devices against that of the processor.
class TestCompute : public QObject {
    Q_OBJECT

private slots:
    void devicesComputeWhatTheProcessorComputes_data()
    {
        QTest::addColumn<int>("row");
        QTest::addColumn<bool>("hasKernels");
        for (std::size_t i = 0; i < operations().size(); ++i) {
            QTest::addRow("%s", operations()[i].name) << int(i) << false;
            QTest::addRow("%s, our kernels", operations()[i].name) << int(i) << true;
        }
    }
    void devicesComputeWhatTheProcessorComputes()
    {
        QFETCH(int, row);
        QFETCH(bool, hasKernels);
        const auto& compute = operations()[std::size_t(row)].compute;
        const Results expected = compute(processorCompute());
        const Results found = compute(*(hasKernels ? kernelDevice() : emulatedDevice()).compute);
        QCOMPARE(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            QVERIFY(found[i].sizes() == expected[i].sizes());
            QVERIFY(found[i].scalar_type() == expected[i].scalar_type());
            QCOMPARE_LT(gap(found[i], expected[i]), 1e-12);
        }
    }

    /// Sums that reach weights are those of float32: of numbers of 16 bits they lose nothing of what a sum of
    /// 16 bits would (4e-3).
    void sumsFor16BitsAreThoseOfFloat32_data() { addComputes(); }
    void sumsFor16BitsAreThoseOfFloat32()
    {
        QFETCH(bool, onDevice);
        QFETCH(bool, hasKernels);
        const Device device = hasKernels ? kernelDevice() : emulatedDevice();
        const Compute& compute = onDevice ? *device.compute : processorCompute();
        const auto inFloat64 = [](const at::Tensor& values) { return values.to(at::kDouble); };
        const at::Tensor gradient = numbers({kTokens, kColumns}, 0, at::kBFloat16);
        const at::Tensor rows = numbers({kTokens, 20}, 1, at::kBFloat16);
        const at::Tensor weight = numbers({kColumns}, 3, at::kBFloat16);
        QCOMPARE_LT(gap(compute.columnSums(gradient), inFloat64(gradient).sum(0)), 1e-6);
        const at::Tensor product = placed({kColumns, 20}, at::kFloat, false, [&](const GradientPlace& place) {
            compute.putProduct(place, gradient.t(), rows);
        });
        QVERIFY(product.scalar_type() == at::kFloat);
        QCOMPARE_LT(gap(product, inFloat64(gradient).t().mm(inFloat64(rows))), onDevice ? 1e-6 : 3e-3);
        const at::Tensor table = placed({11, kColumns}, at::kFloat, false, [&](const GradientPlace& place) {
            compute.putRows(place, gradient, ids(), -1);
        });
        QCOMPARE_LT(
            gap(table, at::zeros({11, kColumns}, at::kDouble).index_add_(0, ids(), inFloat64(gradient))),
            1e-6);
        const NormForward forward = compute.normForward(
            {numbers({kTokens, kColumns}, 0, at::kBFloat16), {}, {}}, weight, weight, 1e-5);
        const NormGradients norm =
            compute.normBackward({gradient, forward.sum, forward.mean_T, forward.scale_T, weight});
        const at::Tensor scaled = (inFloat64(forward.sum) - inFloat64(forward.mean_T).view({-1, 1})) *
                                  inFloat64(forward.scale_T).view({-1, 1});
        QVERIFY(norm.weight.scalar_type() == at::kFloat);
        QCOMPARE_LT(gap(norm.weight, (inFloat64(gradient) * scaled).sum(0)), 1e-6);
        QCOMPARE_LT(gap(norm.shift, inFloat64(gradient).sum(0)), 1e-6);
    }

    void whatIsNotNeededIsNotComputed()
    {
        const Compute& compute = *emulatedDevice().compute;
        const at::Tensor weight = numbers({kColumns}, 3);
        const NormForward forward =
            compute.normForward({numbers({kTokens, kColumns}, 0), {}, {}}, weight, weight, 1e-5);
        const NormGradients gradients = compute.normBackward({numbers({kTokens, kColumns}, 1), forward.sum,
                                                              forward.mean_T, forward.scale_T, weight,
                                                              /*ofWeights=*/false, /*ofBias=*/false});
        QVERIFY(gradients.sum.defined());
        QVERIFY(!gradients.weight.defined() && !gradients.shift.defined() && !gradients.bias.defined());
    }

    /// Attention in one kernel takes views; products take memory of their own, which they need not copy.
    void headsThatAreScaledAreContiguous()
    {
        const at::Tensor tokens = numbers({kTokens, 3 * kColumns}, 0);
        for (const at::Tensor& part : emulatedDevice().compute->splitHeads(tokens, kHeads, 0.5))
            QVERIFY(part.is_contiguous());
        for (const at::Tensor& part : emulatedDevice().compute->splitHeads(tokens, kHeads, 1.0))
            QVERIFY(part.is_alias_of(tokens));
    }

private:
    struct Operation {
        const char* name;
        std::function<Results(const Compute&)> compute;
    };

    static const std::vector<Operation>& operations()
    {
        const auto bias = [] { return numbers({kColumns}, 1); };
        const auto residual = [] { return numbers({kTokens, kColumns}, 2); };
        static const std::vector<Operation> all{
            {"norm", [](const Compute& c) { return normOf(c, {}, {}); }},
            {"norm of a sum with a bias", [=](const Compute& c) { return normOf(c, bias(), {}); }},
            {"norm of a sum with a residual", [=](const Compute& c) { return normOf(c, {}, residual()); }},
            {"norm of a sum with both", [=](const Compute& c) { return normOf(c, bias(), residual()); }},
            {"norm behind dropout", [](const Compute& c) { return droppedNormOf(c, {}, {}); }},
            {"norm behind dropout, with bias and residual",
             [=](const Compute& c) { return droppedNormOf(c, bias(), residual()); }},
            {"dropout of rows of heads", [](const Compute& c) { return droppedRows(c); }},
            {"probabilities", [](const Compute& c) { return probabilitiesOf(c, {}, 9, false, {}); }},
            {"probabilities, dropped",
             [](const Compute& c) { return probabilitiesOf(c, {}, 9, false, kRates); }},
            {"probabilities of a shorter sequence, dropped",
             [](const Compute& c) { return probabilitiesOf(c, {}, 5, false, kRates); }},
            {"probabilities with a bias of each key, dropped",
             [](const Compute& c) {
                 return probabilitiesOf(c, numbers({3, 1, 1, 9}, 2), 9, false, kRates);
             }},
            {"probabilities with a bias of each query, dropped",
             [](const Compute& c) {
                 return probabilitiesOf(c, numbers({3, 1, 9, 9}, 2), 9, false, kRates);
             }},
            {"probabilities of earlier keys, dropped",
             [](const Compute& c) { return probabilitiesOf(c, laterKeysBias(9), 9, true, kRates); }},
            {"gelu", [=](const Compute& c) { return activationOf(c, Activation::Gelu, bias()); }},
            {"gelu without a bias", [](const Compute& c) { return activationOf(c, Activation::Gelu, {}); }},
            {"gelu of tanh", [=](const Compute& c) { return activationOf(c, Activation::GeluNew, bias()); }},
            {"relu", [=](const Compute& c) { return activationOf(c, Activation::Relu, bias()); }},
            {"silu", [=](const Compute& c) { return activationOf(c, Activation::Swiglu, bias()); }},
            {"heads", [](const Compute& c) { return headsOf(c, 1.0); }},
            {"heads, scaled", [](const Compute& c) { return headsOf(c, 0.25); }},
            {"losses", [](const Compute& c) { return lossOf(c, 1); }},
            {"losses of large logits", [](const Compute& c) { return lossOf(c, 400); }},
            {"dropout", droppedBy},
            {"product",
             [](const Compute& c) {
                 return Results{c.product(numbers({kTokens, kColumns}, 0), numbers({kColumns, 20}, 1))};
             }},
            {"sums", [](const Compute& c) { return sumsOf(c, at::kDouble); }},
        };
        return all;
    }

    static void addComputes()
    {
        QTest::addColumn<bool>("onDevice");
        QTest::addColumn<bool>("hasKernels");
        QTest::addRow("processor") << false << false;
        QTest::addRow("device") << true << false;
        QTest::addRow("device, our kernels") << true << true;
    }
};

QTEST_APPLESS_MAIN(TestCompute)
#include "tst_compute.moc"
