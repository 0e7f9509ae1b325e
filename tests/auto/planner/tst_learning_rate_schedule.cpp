#include <QTest>

#include <cmath>

#include "engine/planner/learning_rate_schedule.h"

using namespace trainyard;

/// Rates by hand, from the definition in the header: peak 8, warm-up of 4 steps, 12 steps in all.
class TestLearningRateSchedule : public QObject {
    Q_OBJECT

private slots:
    void followsItsDefinition_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QList<double>>("rates");
        const double root = std::sqrt(2.0);
        QTest::addRow("constant") << int(ScheduleKind::Constant)
                                  << QList<double>{2, 4, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8};
        QTest::addRow("linear") << int(ScheduleKind::Linear)
                                << QList<double>{2, 4, 6, 8, 8, 7, 6, 5, 4, 3, 2, 1, 1};
        QTest::addRow("polynomial, power 2")
            << int(ScheduleKind::Polynomial)
            << QList<double>{2, 4, 6, 8, 8, 6.125, 4.5, 3.125, 2, 1.125, 0.5, 0.125, 0.125};
        // cos(pi / 8) = sqrt(2 + sqrt(2)) / 2, cos(pi / 4) = sqrt(2) / 2, cos(3 pi / 8) = sqrt(2 - sqrt(2)) /
        // 2
        const double eighth = 2 * std::sqrt(2 + root);
        const double quarter = 2 * root;
        const double threeEighths = 2 * std::sqrt(2 - root);
        QTest::addRow("cosine") << int(ScheduleKind::Cosine) << QList<double>{2,           4,
                                                                              6,           8,
                                                                              8,           4 + eighth,
                                                                              4 + quarter, 4 + threeEighths,
                                                                              4,           4 - threeEighths,
                                                                              4 - quarter, 4 - eighth,
                                                                              4 - eighth};
    }
    void followsItsDefinition()
    {
        QFETCH(int, kind);
        QFETCH(QList<double>, rates);
        OptimizerSpec spec;
        spec.learningRate = 8;
        spec.schedule = ScheduleKind(kind);
        spec.warmupSteps = 4;
        spec.decayPower = 2;
        const LearningRateSchedule schedule(spec, 12);
        for (qsizetype step = 1; step <= rates.size(); ++step) {
            const double error = std::abs(schedule.at(step) - rates[step - 1]);
            QVERIFY2(error < 1e-14 * 8, qPrintable(QString("step %1: %2").arg(step).arg(schedule.at(step))));
        }
    }

    /// The last 4 of 12 steps decay: at 0, 1/4, 1/2 and 3/4 of the way.
    void staysAtThePeakUntilTheDecay_data()
    {
        QTest::addColumn<int>("shape");
        QTest::addColumn<QList<double>>("last");
        const double root = std::sqrt(2.0);
        QTest::addRow("linear") << int(DecayShape::Linear) << QList<double>{8, 6, 4, 2, 2};
        QTest::addRow("cosine") << int(DecayShape::Cosine)
                                << QList<double>{8, 4 + 2 * root, 4, 4 - 2 * root, 4 - 2 * root};
        // 0.5^(1/4) = 1 / sqrt(sqrt(2)), 0.5^(3/4) = 0.5 sqrt(sqrt(2))
        QTest::addRow("exponential") << int(DecayShape::Exponential)
                                     << QList<double>{8, 16 / std::sqrt(root) - 8, 8 * root - 8,
                                                      8 * std::sqrt(root) - 8, 8 * std::sqrt(root) - 8};
        QTest::addRow("1-sqrt") << int(DecayShape::OneMinusSqrt)
                                << QList<double>{8, 4, 8 - 4 * root, 8 - 4 * std::sqrt(3.0),
                                                 8 - 4 * std::sqrt(3.0)};
    }
    void staysAtThePeakUntilTheDecay()
    {
        QFETCH(int, shape);
        QFETCH(QList<double>, last);
        OptimizerSpec spec;
        spec.learningRate = 8;
        spec.schedule = ScheduleKind::WarmupStableDecay;
        spec.warmupSteps = 4;
        spec.decaySteps = 4;
        spec.decayShape = DecayShape(shape);
        const QList<double> rates = QList<double>{2, 4, 6, 8, 8, 8, 8, 8} + last;
        const LearningRateSchedule schedule(spec, 12);
        for (qsizetype step = 1; step <= rates.size(); ++step) {
            const double error = std::abs(schedule.at(step) - rates[step - 1]);
            QVERIFY2(error < 1e-14 * 8, qPrintable(QString("step %1: %2").arg(step).arg(schedule.at(step))));
        }
    }

    void decaysOverATenthOfTheStepsUnlessToldOtherwise()
    {
        OptimizerSpec spec;
        spec.learningRate = 8;
        spec.schedule = ScheduleKind::WarmupStableDecay;
        spec.decayShape = DecayShape::Linear;
        const LearningRateSchedule schedule(spec, 100);
        QCOMPARE(schedule.at(91), 8.0);
        QCOMPARE(schedule.at(92), 7.2);
        QCOMPARE(spec.decayStepsOf(95), std::int64_t{10});
        spec.warmupSteps = 97;
        QCOMPARE(spec.decayStepsOf(100), std::int64_t{3}); // those that the warm-up leaves
    }

    void startsAtThePeakWithoutWarmUp()
    {
        OptimizerSpec spec;
        spec.learningRate = 8;
        for (const auto kind : {ScheduleKind::Constant, ScheduleKind::Linear, ScheduleKind::Polynomial,
                                ScheduleKind::Cosine, ScheduleKind::WarmupStableDecay}) {
            spec.schedule = kind;
            QCOMPARE(LearningRateSchedule(spec, 12).at(1), 8.0);
            QVERIFY(LearningRateSchedule(spec, 12).at(12) > 0);
        }
    }

    void isAllWarmUpWhenTheRunIsThatShort()
    {
        OptimizerSpec spec;
        spec.learningRate = 8;
        spec.warmupSteps = 4;
        const LearningRateSchedule schedule(spec, 4);
        QCOMPARE(schedule.at(1), 2.0);
        QCOMPARE(schedule.at(4), 8.0);
    }
};

QTEST_APPLESS_MAIN(TestLearningRateSchedule)
#include "tst_learning_rate_schedule.moc"
