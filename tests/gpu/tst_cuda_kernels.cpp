#include <QTest>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "engine/device/cuda/cuda_plugin.h"
#include "engine/nn/dropout_mask.h"
#include "engine/optim/gradient_norm.h"
#include "engine/optim/optimizer.h"
#include "engine/spec/names.h"
#include "tests/gpu/gpu_test.h"

using namespace trainyard;

namespace {

at::Tensor waves(std::int64_t count, double frequency, double amplitude, at::ScalarType type)
{
    return at::arange(count, at::kDouble).mul(frequency).sin().mul(amplitude).to(type);
}

/// A matrix that takes several launches' worth of blocks, a bias, and a tensor of zeros.
std::vector<OptimizedTensor> tensorsOn(const c10::Device& place, at::ScalarType type, bool hasCopy)
{
    std::vector<OptimizedTensor> tensors;
    for (const std::int64_t count : {std::int64_t{3000017}, std::int64_t{7}, std::int64_t{65}}) {
        OptimizedTensor tensor{"tensor",
                               waves(count, 0.37, 0.05, type).to(place),
                               waves(count, 0.11, 0.5, type).to(place),
                               {},
                               count != 7,
                               tensors.size()};
        if (count == 65)
            tensor.master.zero_();
        if (hasCopy)
            tensor.working = tensor.master.to(at::kBFloat16);
        tensors.push_back(tensor);
    }
    return tensors;
}

double relativeDifference(const at::Tensor& a, const at::Tensor& b)
{
    const at::Tensor x = a.cpu().to(at::kDouble);
    const at::Tensor y = b.cpu().to(at::kDouble);
    const double norm = y.norm().item<double>();
    return (x - y).norm().item<double>() / (norm > 0 ? norm : 1.0);
}

} // namespace

/// Our kernels on the first GPU against those of the processor.
class TestCudaKernels : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const auto plugin = openFirstGpu();
        if (!plugin)
            QSKIP("this machine has no GPU");
        m_device = plugin->device();
        m_masks = plugin->functions().masks();
    }

    void masksAreTheSameBits()
    {
        const DropoutStream site{{42, 7}, 5, 3, 0};
        std::vector<DropoutPart> parts; // more than go into one launch
        for (std::uint64_t sample = 0; sample < 250; ++sample)
            parts.push_back({sample << 30, std::int64_t(sample * 37 % 130), std::int64_t(1000 + sample)});
        std::int64_t count = 0;
        for (const DropoutPart& part : parts)
            count += part.count;
        const at::Tensor drawn =
            at::full({count}, 2, at::TensorOptions().dtype(at::kByte).device(m_device.place));
        m_masks->fill(drawn.mutable_data_ptr<std::uint8_t>(), parts, 1u << 30, site);
        const at::Tensor onHost = drawn.cpu();
        const std::uint8_t* mask = onHost.const_data_ptr<std::uint8_t>();
        for (const DropoutPart& part : parts) {
            DropoutStream stream = site;
            stream.sample = part.sample;
            std::vector<std::uint8_t> expected(std::size_t(part.count));
            fillDropoutMask(expected.data(), part.firstElement, part.count, 1u << 30, stream);
            QVERIFY(std::equal(expected.begin(), expected.end(), mask));
            mask += part.count;
        }
    }

    void optimizersMoveWeightsAsTheProcessorDoes_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("type");
        QTest::addColumn<bool>("hasCopy");
        for (const auto kind : {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                                OptimizerKind::Lans, OptimizerKind::Sgd}) {
            QTest::addRow("%s float64", nameOf(kind).data()) << int(kind) << int(at::kDouble) << false;
            QTest::addRow("%s float32", nameOf(kind).data()) << int(kind) << int(at::kFloat) << false;
            QTest::addRow("%s bfloat16", nameOf(kind).data()) << int(kind) << int(at::kFloat) << true;
        }
    }
    void optimizersMoveWeightsAsTheProcessorDoes()
    {
        QFETCH(int, kind);
        QFETCH(int, type);
        QFETCH(bool, hasCopy);
        OptimizerSpec spec;
        spec.kind = OptimizerKind(kind);
        const auto here = tensorsOn(at::kCPU, at::ScalarType(type), hasCopy);
        const auto there = tensorsOn(m_device.place, at::ScalarType(type), hasCopy);
        const auto expected = makeOptimizer(spec, here);
        const auto found = makeOptimizer(spec, there, {}, *m_device.updates);
        for (int step = 0; step < 3; ++step) {
            expected->step(0.01, 0.5);
            found->step(0.01, 0.5);
        }
        const double bound =
            type == int(at::kDouble) ? 1e-12 : 1e-5; // another order of sums, other roundings
        for (std::size_t i = 0; i < here.size(); ++i) {
            QVERIFY(relativeDifference(there[i].master, here[i].master) < bound);
            if (hasCopy)
                QVERIFY(there[i].working.equal(there[i].master.to(at::kBFloat16)));
        }
        for (std::size_t i = 0; i < expected->state().size(); ++i)
            QVERIFY(relativeDifference(found->state()[i].value, expected->state()[i].value) < bound);
    }

    void normsAreThoseOfTheProcessorAndTheSameEveryTime()
    {
        const auto here = tensorsOn(at::kCPU, at::kFloat, false);
        const auto there = tensorsOn(m_device.place, at::kFloat, false);
        const std::vector<double> expected = squaredGradientNorms(here, {});
        const std::vector<double> found = squaredGradientNorms(there, {}, *m_device.updates);
        for (std::size_t i = 0; i < expected.size(); ++i)
            QVERIFY(std::abs(found[i] / expected[i] - 1) < 1e-12);
        QCOMPARE(squaredGradientNorms(there, {}, *m_device.updates), found);
    }

private:
    Device m_device;
    const DropoutMasks* m_masks = nullptr;
};

QTEST_APPLESS_MAIN(TestCudaKernels)
#include "tst_cuda_kernels.moc"
