#include <QTest>

#include <cmath>
#include <optional>

#include <ATen/Parallel.h>
#include <ATen/ops/arange.h>

#include "engine/optim/gradient_norm.h"
#include "engine/optim/optimizer.h"
#include "engine/spec/names.h"
#include "reference_optimizers.h"

using namespace trainyard;

namespace {

// Larger than a range of the optimizers, and no multiple of any vector width.
constexpr std::int64_t kLarge = 100003;
constexpr std::int64_t kSmall = 7;

at::Tensor waves(std::int64_t count, double frequency, double amplitude, at::ScalarType type)
{
    return at::arange(count, at::kDouble).mul(frequency).sin().mul(amplitude).to(type);
}

std::vector<double> valuesOf(const at::Tensor& tensor)
{
    const at::Tensor wide = tensor.to(at::kDouble).contiguous();
    return {wide.const_data_ptr<double>(), wide.const_data_ptr<double>() + wide.numel()};
}

/// With a working copy of type `copy`, if there is one.
std::vector<OptimizedTensor> tensorsOf(at::ScalarType type, std::optional<at::ScalarType> copy = {})
{
    std::vector<OptimizedTensor> tensors;
    for (const auto& [name, count, decays] :
         {std::tuple{"matrix", kLarge, true}, std::tuple{"bias", kSmall, false},
          std::tuple{"zero", kSmall, true}}) {
        OptimizedTensor tensor{
            name, waves(count, 0.37, 0.05, type), waves(count, 0.11, 0.5, type), {}, decays, tensors.size()};
        if (name == std::string("zero"))
            tensor.master.zero_();
        if (copy)
            tensor.working = tensor.master.to(*copy);
        tensors.push_back(tensor);
    }
    return tensors;
}

OptimizerSpec specOf(OptimizerKind kind)
{
    OptimizerSpec spec;
    spec.kind = kind;
    spec.epsilon = 1e-6;
    spec.weightDecay = 0.01;
    return spec;
}

double relativeError(const at::Tensor& actual, const std::vector<double>& expected)
{
    const std::vector<double> values = valuesOf(actual);
    double error = 0;
    double norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        error = std::hypot(error, values[i] - expected[i]);
        norm = std::hypot(norm, expected[i]);
    }
    return error / norm;
}

constexpr auto kKinds = {OptimizerKind::AdamW, OptimizerKind::Lamb, OptimizerKind::LambPaper,
                         OptimizerKind::Lans, OptimizerKind::Sgd};

void addKinds()
{
    QTest::addColumn<int>("kind");
    for (const OptimizerKind kind : kKinds)
        QTest::addRow("%s", nameOf(kind).data()) << int(kind);
}

} // namespace

class TestOptimizers : public QObject {
    Q_OBJECT

private slots:
    void followTheirFormula_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("bound");
        for (const OptimizerKind kind : kKinds) {
            QTest::addRow("%s float64", nameOf(kind).data()) << int(kind) << int(at::kDouble) << 1e-13;
            // The gradients change sign each step: moments are small differences of them and lose a digit or
            // two.
            QTest::addRow("%s float32", nameOf(kind).data()) << int(kind) << int(at::kFloat) << 2e-5;
        }
    }
    void followTheirFormula()
    {
        QFETCH(int, kind);
        QFETCH(int, type);
        QFETCH(double, bound);
        const OptimizerSpec spec = specOf(OptimizerKind(kind));
        const auto tensors = tensorsOf(at::ScalarType(type));
        std::vector<ReferenceTensor> references;
        for (const OptimizedTensor& tensor : tensors)
            references.emplace_back(valuesOf(tensor.master), tensor.decays);
        const auto optimizer = makeOptimizer(spec, tensors);
        for (int t = 1; t <= 5; ++t) {
            const double rate = 0.01 * t;
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                tensors[i].gradient.mul_(
                    -0.7); // another one each step; -0.9 would leave a moment of rounding alone
                const std::vector<double> clipped = valuesOf(tensors[i].gradient * 0.5);
                references[i].step(spec, clipped, rate, t);
            }
            optimizer->step(rate, 0.5);
        }
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const double error = relativeError(tensors[i].master, references[i].weight);
            QVERIFY2(error <= bound, qPrintable(QString("%1: %2").arg(tensors[i].name.c_str()).arg(error)));
        }
    }

    void workingCopyIsTheRoundedMaster_data() { addKinds(); }
    void workingCopyIsTheRoundedMaster()
    {
        QFETCH(int, kind);
        for (const at::ScalarType type : {at::kBFloat16, at::kHalf}) {
            const auto tensors = tensorsOf(at::kFloat, type);
            const auto plain = tensorsOf(at::kFloat);
            makeOptimizer(specOf(OptimizerKind(kind)), tensors)->step(0.01, 1.0);
            makeOptimizer(specOf(OptimizerKind(kind)), plain)->step(0.01, 1.0);
            for (std::size_t i = 0; i < tensors.size(); ++i) {
                QVERIFY(tensors[i].working.equal(tensors[i].master.to(type)));
                QVERIFY(tensors[i].master.allclose(plain[i].master, 1e-6, 0));
            }
        }
    }

    void threadsDoNotChangeTheResult_data() { addKinds(); }
    void threadsDoNotChangeTheResult()
    {
        QFETCH(int, kind);
        const auto once = tensorsOf(at::kFloat);
        const auto again = tensorsOf(at::kFloat);
        at::set_num_threads(1);
        makeOptimizer(specOf(OptimizerKind(kind)), once)->step(0.01, 1.0);
        const double norm = globalGradientNorm(once);
        at::set_num_threads(3);
        makeOptimizer(specOf(OptimizerKind(kind)), again)->step(0.01, 1.0);
        QCOMPARE(globalGradientNorm(again), norm);
        for (std::size_t i = 0; i < once.size(); ++i)
            QVERIFY(once[i].master.equal(again[i].master));
    }

    void stateCarriesOver_data() { addKinds(); }
    void stateCarriesOver()
    {
        QFETCH(int, kind);
        const auto unbroken = tensorsOf(at::kFloat);
        const auto resumed = tensorsOf(at::kFloat);
        const auto first = makeOptimizer(specOf(OptimizerKind(kind)), unbroken);
        first->step(0.01, 1.0);
        const auto second = makeOptimizer(specOf(OptimizerKind(kind)), resumed);
        for (std::size_t i = 0; i < resumed.size(); ++i)
            resumed[i].master.copy_(unbroken[i].master);
        for (std::size_t i = 0; i < first->state().size(); ++i)
            second->state()[i].value.copy_(first->state()[i].value);
        second->setSteps(first->steps());
        first->step(0.01, 1.0);
        second->step(0.01, 1.0);
        for (std::size_t i = 0; i < resumed.size(); ++i)
            QVERIFY(resumed[i].master.equal(unbroken[i].master));
        const bool isSgd = OptimizerKind(kind) == OptimizerKind::Sgd;
        QCOMPARE(first->state()[0].name, std::string(isSgd ? "momentum_buffer" : "exp_avg"));
        QCOMPARE(first->state()[0].tensor, std::size_t(0));
        QCOMPARE(first->state().size(), (isSgd ? 1 : 2) * resumed.size());
    }

    void sgdWithoutMomentumKeepsNothing()
    {
        OptimizerSpec spec = specOf(OptimizerKind::Sgd);
        spec.momentum = 0;
        const auto tensors = tensorsOf(at::kDouble);
        ReferenceTensor reference(valuesOf(tensors[0].master), true);
        const auto optimizer = makeOptimizer(spec, tensors);
        QVERIFY(optimizer->state().empty());
        for (int t = 1; t <= 3; ++t) {
            reference.sgd(spec, valuesOf(tensors[0].gradient), 0.1);
            optimizer->step(0.1, 1.0);
        }
        QVERIFY(relativeError(tensors[0].master, reference.weight) < 1e-14);
    }

    void lansStaysWhereThereIsNoGradient()
    {
        OptimizerSpec spec = specOf(OptimizerKind::Lans);
        spec.weightDecay = 0;
        const auto tensors = tensorsOf(at::kFloat);
        const at::Tensor before = tensors[0].master.clone();
        tensors[0].gradient.zero_();
        makeOptimizer(spec, tensors)->step(0.1, 1.0);
        QVERIFY(tensors[0].master.equal(before));
    }

    void normIsThatOfAllGradients()
    {
        const auto tensors = tensorsOf(at::kFloat);
        double expected = 0;
        for (const OptimizedTensor& tensor : tensors) {
            for (const double g : valuesOf(tensor.gradient))
                expected += g * g;
        }
        QVERIFY(std::abs(globalGradientNorm(tensors) - std::sqrt(expected)) < 1e-12 * std::sqrt(expected));
        tensors[0].gradient[99999] = std::numeric_limits<float>::infinity();
        QVERIFY(!std::isfinite(globalGradientNorm(tensors)));
    }

    void clipsOnlyAboveTheLimit()
    {
        OptimizerSpec spec;
        spec.clipNorm = 1.0;
        QCOMPARE(clipCoefficient(0.5, spec), 1.0);
        QCOMPARE(clipCoefficient(4.0, spec), 1.0 / (4.0 + 1e-6));
        spec.kind = OptimizerKind::Sgd;
        QCOMPARE(clipCoefficient(4.0, spec), 1.0 / (4.0 + 1e-6));
        spec.kind = OptimizerKind::Lamb;
        QCOMPARE(clipCoefficient(4.0, spec), 0.25);
        spec.clipNorm = 0;
        QCOMPARE(clipCoefficient(4.0, spec), 1.0);
    }
};

QTEST_APPLESS_MAIN(TestOptimizers)
#include "tst_optimizers.moc"
