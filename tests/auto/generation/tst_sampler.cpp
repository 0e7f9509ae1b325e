#include <QTest>

#include <cmath>
#include <set>
#include <vector>

#include "engine/generation/sampler.h"

using namespace trainyard;

namespace {

// Probabilities 1/8, 1/4, 1/2, 1/8.
const std::vector<double> kLogits{0.0, std::log(2.0), std::log(4.0), 0.0};

QString describe(const std::vector<TokenProbability>& tokens)
{
    QStringList parts;
    for (const TokenProbability& each : tokens)
        parts << QString("%1: %2").arg(each.token).arg(each.probability, 0, 'f', 6);
    return parts.join(", ");
}

} // namespace

class TestSampler : public QObject {
    Q_OBJECT

private slots:
    // Worked out by hand.
    void candidatesHaveTheirProbabilities_data()
    {
        QTest::addColumn<double>("temperature");
        QTest::addColumn<int>("topK");
        QTest::addColumn<double>("topP");
        QTest::addColumn<QString>("expected");
        QTest::addRow("all") << 1.0 << 0 << 1.0 << "0: 0.125000, 1: 0.250000, 2: 0.500000, 3: 0.125000";
        QTest::addRow("temperature 0.5: squares")
            << 0.5 << 0 << 1.0 << "0: 0.045455, 1: 0.181818, 2: 0.727273, 3: 0.045455";
        QTest::addRow("greedy") << 0.0 << 3 << 0.9 << "2: 1.000000";
        QTest::addRow("the two most probable") << 1.0 << 2 << 1.0 << "2: 0.666667, 1: 0.333333";
        QTest::addRow("of equal ones the smaller")
            << 1.0 << 3 << 1.0 << "2: 0.571429, 1: 0.285714, 0: 0.142857";
        QTest::addRow("more than there are")
            << 1.0 << 9 << 1.0 << "2: 0.500000, 1: 0.250000, 0: 0.125000, 3: 0.125000";
        QTest::addRow("one has the share") << 1.0 << 0 << 0.4 << "2: 1.000000";
        QTest::addRow("two have the share") << 1.0 << 0 << 0.7 << "2: 0.666667, 1: 0.333333";
        QTest::addRow("no share: the most probable") << 1.0 << 0 << 0.0 << "2: 1.000000";
        // 4/7 of the three are more than 0.55, 1/2 of all is less.
        QTest::addRow("the share of what top k leaves") << 1.0 << 3 << 0.55 << "2: 1.000000";
        QTest::addRow("temperature first") << 0.5 << 0 << 0.7 << "2: 1.000000";
    }
    void candidatesHaveTheirProbabilities()
    {
        QFETCH(double, temperature);
        QFETCH(int, topK);
        QFETCH(double, topP);
        QTEST(describe(Sampler({temperature, topK, topP, 0}).candidates(kLogits)), "expected");
    }

    void bigLogitsDoNotOverflow()
    {
        const std::vector<double> logits{1e4, 1e4 + std::log(3.0), -1e4};
        QCOMPARE(describe(Sampler({}).candidates(logits)), QString("0: 0.250000, 1: 0.750000, 2: 0.000000"));
    }

    void drawsAsOftenAsTheProbabilitiesSay()
    {
        constexpr int kDraws = 20'000;
        const Sampler sampler({1, 0, 1, 7});
        std::vector<int> counts(kLogits.size());
        for (std::size_t position = 0; position < kDraws; ++position)
            ++counts[std::size_t(sampler.choose(kLogits, 3, position))];
        for (const TokenProbability& each : sampler.candidates(kLogits)) {
            const double expected = kDraws * each.probability;
            const double deviation = std::sqrt(expected * (1 - each.probability));
            QVERIFY2(
                std::abs(counts[std::size_t(each.token)] - expected) < 4 * deviation,
                qPrintable(QString("token %1: %2").arg(each.token).arg(counts[std::size_t(each.token)])));
        }
    }

    void everyPlaceHasItsRandomNumber()
    {
        const auto drawn = [](std::uint64_t seed, std::size_t prompt) {
            const Sampler sampler({1, 0, 1, seed});
            std::vector<TokenId> tokens;
            for (std::size_t position = 0; position < 32; ++position)
                tokens.push_back(sampler.choose(kLogits, prompt, position));
            return tokens;
        };
        QVERIFY(drawn(1, 0) == drawn(1, 0));
        QVERIFY(drawn(1, 0) != drawn(2, 0));
        QVERIFY(drawn(1, 0) != drawn(1, 1));
        const auto tokens = drawn(1, 0);
        QVERIFY(std::set(tokens.begin(), tokens.end()).size() > 1);
    }

    void answersKeepTheirShareOfAllTokens()
    {
        QCOMPARE(describe(mostProbable(kLogits, 2)), QString("2: 0.500000, 1: 0.250000"));
        QCOMPARE(mostProbable(kLogits, 100).size(), kLogits.size());
    }
};

QTEST_APPLESS_MAIN(TestSampler)
#include "tst_sampler.moc"
