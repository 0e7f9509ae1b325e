#include <QTest>

#include <cmath>

#include <ATen/ops/empty.h>

#include "engine/nn/parameters/initialization.h"

using namespace trainyard;

namespace {

at::Tensor normal(std::int64_t count, const char* name, std::uint64_t seed = 42, std::int64_t first = 0)
{
    at::Tensor tensor = at::empty({count}, at::kDouble);
    fillNormal(tensor, seed, name, 0.02, first);
    return tensor;
}

at::Tensor uniformNumbers(std::int64_t count, const char* name, std::int64_t first = 0)
{
    at::Tensor tensor = at::empty({count}, at::kDouble);
    fillUniform(tensor, 42, name, 0.5, first);
    return tensor;
}

} // namespace

class TestInitialization : public QObject {
    Q_OBJECT

private slots:
    void isNormalWithTheGivenDeviation()
    {
        constexpr std::int64_t kCount = 1000000;
        const at::Tensor z = normal(kCount, "weight") / 0.02;
        // Four standard errors of the mean, the variance and the fourth moment of a normal variable.
        const double error = 4.0 / std::sqrt(static_cast<double>(kCount));
        QVERIFY(std::abs(z.mean().item<double>()) < error);
        QVERIFY(std::abs(z.pow(2).mean().item<double>() - 1.0) < error * std::sqrt(2.0));
        QVERIFY(std::abs(z.pow(4).mean().item<double>() - 3.0) < error * std::sqrt(96.0));
    }

    void isUniformWithinTheGivenBound()
    {
        constexpr std::int64_t kCount = 1000000;
        const at::Tensor u = uniformNumbers(kCount, "lora_A") / 0.5;
        QVERIFY(u.abs().max().item<double>() < 1.0);
        // Four standard errors of the mean and of the second moment, which is 1 / 3 and has a variance of 4
        // / 45.
        const double error = 4.0 / std::sqrt(static_cast<double>(kCount));
        QVERIFY(std::abs(u.mean().item<double>()) < error * std::sqrt(1.0 / 3));
        QVERIFY(std::abs(u.pow(2).mean().item<double>() - 1.0 / 3) < error * std::sqrt(4.0 / 45));
        QVERIFY(uniformNumbers(1000, "lora_A", 16385).equal(0.5 * u.narrow(0, 16385, 1000)));
    }

    void sliceIsTheSliceOfTheWhole()
    {
        const at::Tensor whole = normal(50000, "weight");
        for (const std::int64_t first : {1, 4, 16385})
            QVERIFY(normal(1000, "weight", 42, first).equal(whole.narrow(0, first, 1000)));
    }

    void dependsOnSeedAndName()
    {
        QVERIFY(!normal(8, "a").equal(normal(8, "b")));
        QVERIFY(!normal(8, "a", 1).equal(normal(8, "a", 2)));
        QVERIFY(normal(8, "a", 1).equal(normal(8, "a", 1)));
    }
};

QTEST_APPLESS_MAIN(TestInitialization)
#include "tst_initialization.moc"
