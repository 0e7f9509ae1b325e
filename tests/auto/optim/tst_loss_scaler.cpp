#include <QTest>

#include "engine/optim/loss_scaler.h"

using namespace trainyard;

namespace {

PrecisionSpec float16(LossScaleSpec scale)
{
    return {ComputeType::Float16, scale};
}

/// Scales before each step of a series; 'x' overflows, '.' does not.
std::vector<double> scalesOver(LossScaler& scaler, const std::string& steps)
{
    std::vector<double> scales;
    for (const char step : steps) {
        scales.push_back(scaler.scale());
        scaler.update(step == 'x');
    }
    return scales;
}

} // namespace

/// Expected series by hand, from the rule in the header.
class TestLossScaler : public QObject {
    Q_OBJECT

private slots:
    void followsTheRule_data()
    {
        QTest::addColumn<int>("hysteresis");
        QTest::addColumn<QString>("steps");
        QTest::addColumn<QList<double>>("scales");
        QTest::addRow("grows") << 1 << "......." << QList<double>{64, 64, 64, 128, 128, 128, 256};
        QTest::addRow("backs off") << 1 << "x.xx." << QList<double>{64, 16, 16, 4, 4};
        QTest::addRow("an overflow restarts the interval")
            << 1 << "..x...." << QList<double>{64, 64, 64, 16, 16, 16, 32};
        QTest::addRow("hysteresis") << 2 << "xx.x..." << QList<double>{64, 64, 16, 16, 4, 4, 4};
        QTest::addRow("hysteresis starts anew after growth")
            << 2 << "xx...xx" << QList<double>{64, 64, 16, 16, 16, 32, 32};
        QTest::addRow("stays at the minimum") << 1 << "xxx" << QList<double>{64, 16, 4};
    }
    void followsTheRule()
    {
        QFETCH(int, hysteresis);
        QFETCH(QString, steps);
        QFETCH(QList<double>, scales);
        LossScaler scaler(float16({64, 3, 0.25, hysteresis, 4}), {});
        const auto actual = scalesOver(scaler, steps.toStdString());
        QCOMPARE(QList<double>(actual.begin(), actual.end()), scales);
        QCOMPARE(scaler.state().skippedSteps, std::int64_t(steps.count('x')));
        QVERIFY(scaler.scale() >= 4);
    }

    void cannotSkipAtTheMinimum()
    {
        LossScaler scaler(float16({8, 3, 0.5, 1, 4}), {});
        QVERIFY(scaler.canSkip());
        scaler.update(true);
        QCOMPARE(scaler.scale(), 4.0);
        QVERIFY(!scaler.canSkip());
    }

    void goesOnFromACarriedState()
    {
        const PrecisionSpec spec = float16({64, 3, 0.5, 2, 1});
        const std::string steps = "x.x...x..";
        LossScaler whole(spec, {});
        const auto expected = scalesOver(whole, steps);
        for (std::size_t cut = 0; cut < steps.size(); ++cut) {
            LossScaler first(spec, {});
            auto scales = scalesOver(first, steps.substr(0, cut));
            LossScaler second(spec, first.state());
            const auto rest = scalesOver(second, steps.substr(cut));
            scales.insert(scales.end(), rest.begin(), rest.end());
            QVERIFY(scales == expected);
            QVERIFY(second.state() == whole.state());
        }
    }

    void isNothingForOtherTypes()
    {
        const LossScaleState carried{1024, 7, 1, 3};
        LossScaler scaler({ComputeType::BFloat16, {}}, carried);
        QCOMPARE(scaler.scale(), 1.0);
        QVERIFY(!scaler.canSkip());
        scaler.update(false);
        QVERIFY(scaler.state() == carried);
    }
};

QTEST_APPLESS_MAIN(TestLossScaler)
#include "tst_loss_scaler.moc"
