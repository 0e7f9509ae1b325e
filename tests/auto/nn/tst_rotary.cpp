#include <QTest>

#include <ATen/ops/arange.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/stack.h>

#include "engine/nn/rotary.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kTurnedPositions = 64;
constexpr std::int64_t kTurnedHead = 64;

ModelSpec rotaryModel()
{
    ModelSpec model;
    model.setFamily(ModelFamily::Llama);
    model.hidden = 2 * int(kTurnedHead);
    model.heads = 2;
    model.headWidth = 0;
    return model;
}

/// Without pattern, and exact in the type.
at::Tensor turnedNumbers(at::ScalarType type)
{
    return at::sin(at::arange(2 * kTurnedPositions * kTurnedHead, at::kDouble) * 0.37)
        .view({1, 2, kTurnedPositions, kTurnedHead})
        .to(type);
}

at::Tensor turnedAt(const at::Tensor& x, std::int64_t position, at::ScalarType type)
{
    const at::Tensor positions = at::arange(position, position + kTurnedPositions);
    return RotaryTables(positions, rotaryModel(), false, type).turn(x);
}

} // namespace

/// Positions far into a text, in types with few bits.
class TestRotary : public QObject {
    Q_OBJECT

private slots:
    void losesOneRoundingToTheType_data()
    {
        QTest::addColumn<int>("type");
        QTest::addColumn<double>("rounding"); // relative
        QTest::addColumn<int>("position");
        for (const int position : {0, 8192, 32768, 131072}) {
            QTest::addRow("bfloat16 at %d", position) << int(at::kBFloat16) << 0x1p-8 << position;
            QTest::addRow("float16 at %d", position) << int(at::kHalf) << 0x1p-11 << position;
            QTest::addRow("float32 at %d", position) << int(at::kFloat) << 0x1p-23 << position;
        }
    }
    void losesOneRoundingToTheType()
    {
        QFETCH(const int, type);
        QFETCH(const double, rounding);
        QFETCH(const int, position);
        const at::Tensor x = turnedNumbers(at::ScalarType(type));
        const at::Tensor result = turnedAt(x, position, at::ScalarType(type));
        QCOMPARE(result.scalar_type(), at::ScalarType(type));
        const at::Tensor exact = turnedAt(x.to(at::kDouble), position, at::kDouble);
        const at::Tensor error = (result.to(at::kDouble) - exact).abs();
        // The sum in float32 adds a little to the rounding of the result.
        const at::Tensor allowed = exact.abs() * rounding + 5e-7;
        QVERIFY2((error <= allowed).all().item<bool>(),
                 qPrintable(QString::number((error - allowed).max().item<double>())));
    }

    void gradientHasTheTypeOfTheInput()
    {
        const at::Tensor x = turnedNumbers(at::kBFloat16).requires_grad_();
        const at::Tensor result = turnedAt(x, 8192, at::kBFloat16);
        result.backward(result.detach());
        QCOMPARE(x.grad().scalar_type(), at::kBFloat16);
        // Turning back what was turned.
        const double largest =
            (x.grad().to(at::kDouble) - x.detach().to(at::kDouble)).abs().max().item<double>();
        QVERIFY2(largest < 0x1p-7, qPrintable(QString::number(largest)));
    }
};

QTEST_APPLESS_MAIN(TestRotary)
#include "tst_rotary.moc"
