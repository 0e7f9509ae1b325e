#include "engine/device/cuda/scores_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

constexpr double kScale = 0.125;
const DropoutRates kScoreDropout{1u << 30, 1.0 / 0.75, {{42, 7}, 5, 3, 0}};

struct ScoreCase {
    ScoreShape shape;
    bool hasBias = false; ///< of padding: [batch, 1, 1, keys]
    bool drops = true;
};

std::vector<std::uint64_t> samplesOf(const ScoreShape& s)
{
    std::vector<std::uint64_t> samples;
    for (std::int64_t entry = 0; entry < s.batch; ++entry)
        samples.push_back(std::uint64_t(entry + 3) << 31);
    return samples;
}

/// The last key of every second entry of the batch is padding.
template <typename T>
std::vector<T> paddingBias(const ScoreShape& s)
{
    std::vector<T> bias(std::size_t(s.batch * s.keys), narrow<T>(0));
    for (std::int64_t entry = 0; entry < s.batch; entry += 2)
        bias[std::size_t((entry + 1) * s.keys - 1)] = narrow<T>(-30000);
    return bias;
}

/// Softmax and dropout of a row in float64.
struct ScoreRowHere {
    std::vector<double> p, factors;
    double logSum = 0;

    ScoreRowHere(const ScoreCase& c, std::int64_t row, const std::vector<double>& z)
    {
        const ScoreShape& s = c.shape;
        const std::int64_t query = row % s.queries, head = row / s.queries % s.heads,
                           entry = row / s.queries / s.heads;
        const std::int64_t seen = s.causal ? query + 1 + s.keys - s.queries : s.keys;
        double sum = 0;
        for (std::int64_t key = 0; key < s.keys; ++key)
            sum += key < seen ? std::exp(z[std::size_t(key)]) : 0;
        logSum = std::log(sum);
        for (std::int64_t key = 0; key < s.keys; ++key)
            p.push_back(key < seen ? std::exp(z[std::size_t(key)]) / sum : 0);
        DropoutStream stream = kScoreDropout.site;
        stream.sample = samplesOf(s)[std::size_t(entry)];
        std::vector<std::uint8_t> mask(std::size_t(s.keys), 1);
        if (c.drops)
            fillDropoutMask(mask.data(),
                            ((s.firstHead + head) * s.length + s.firstQuery + query) * s.length + s.firstKey,
                            s.keys, kScoreDropout.dropBelow, stream);
        for (const std::uint8_t isKept : mask)
            factors.push_back(isKept ? (c.drops ? kScoreDropout.scale : 1.0) : 0.0);
    }
};

template <typename T>
void comparesScores(const ScoreCase& c)
{
    using W = Wide<T>;
    const ScoreShape& s = c.shape;
    const auto rows = std::size_t(s.rows()), keys = std::size_t(s.keys);
    const auto z = wave<T>(std::int64_t(rows * keys), 0.37, 16),
               dy = wave<T>(std::int64_t(rows * keys), 0.53, 1);
    const auto added = paddingBias<T>(s);
    DeviceArray<T> scores(z), gradient(dy), bias(added), y(z.size());
    DeviceArray<std::uint64_t> samples(samplesOf(s));
    DeviceArray<W> logSums(rows);
    const ScoreBias<T> shared{c.hasBias ? bias.data() : nullptr, s.keys, 0};
    const std::uint64_t* dropped = c.drops ? samples.data() : nullptr;
    LAUNCHES(launchProbabilities<T>(scores.data(), s, kScale, shared, dropped, kScoreDropout, y.data(),
                                    logSums.data(), nullptr));
    LAUNCHES(launchScoreGradient<T>(gradient.data(), scores.data(), s, kScale, shared, dropped, kScoreDropout,
                                    logSums.data(), gradient.data(), nullptr));
    std::vector<double> yHere, dzHere, logSumsHere;
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t entry = row / std::size_t(s.heads * s.queries);
        std::vector<double> scaled;
        for (std::size_t key = 0; key < keys; ++key)
            scaled.push_back(kScale * numberOf(z[row * keys + key]) +
                             (c.hasBias ? numberOf(added[entry * keys + key]) : 0));
        const ScoreRowHere r(c, std::int64_t(row), scaled);
        double sum = 0;
        for (std::size_t key = 0; key < keys; ++key)
            sum += r.p[key] * numberOf(dy[row * keys + key]) * r.factors[key];
        for (std::size_t key = 0; key < keys; ++key) {
            yHere.push_back(r.p[key] * r.factors[key]);
            dzHere.push_back(kScale * r.p[key] * (numberOf(dy[row * keys + key]) * r.factors[key] - sum));
        }
        logSumsHere.push_back(r.logSum);
    }
    compareNumbers(logSums.values(), logSumsHere);
    compareNumbers(y.values(), yHere);
    compareNumbers(gradient.values(), dzHere);
}

} // namespace

/// Scale, bias, softmax and dropout of attention in one kernel against a float64 loop.
class TestScoreKernels : public QObject {
    Q_OBJECT

private slots:
    void givesProbabilities_data()
    {
        QTest::addColumn<QString>("type");
        for (const char* type : kNumberTypes)
            QTest::addRow("%s", type) << type;
    }
    void givesProbabilities()
    {
        QFETCH(QString, type);
        withNumberType(type, [&]<typename T>() {
            comparesScores<T>({{2, 3, 16, 128, 128, 3, 5, 0, false}, true, true});
        });
    }

    void hasAnyShape_data()
    {
        QTest::addColumn<qint64>("queries");
        QTest::addColumn<qint64>("keys");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<qint64>("firstKey");
        QTest::addColumn<bool>("causal");
        QTest::addColumn<bool>("drops");
        QTest::addRow("nothing dropped")
            << qint64(9) << qint64(64) << qint64(64) << qint64(0) << false << false;
        QTest::addRow("causal") << qint64(77) << qint64(77) << qint64(77) << qint64(0) << true << true;
        QTest::addRow("causal, last queries")
            << qint64(5) << qint64(77) << qint64(77) << qint64(0) << true << true;
        QTest::addRow("tile") << qint64(8) << qint64(50) << qint64(300) << qint64(111) << false << true;
        QTest::addRow("one key") << qint64(3) << qint64(1) << qint64(65) << qint64(64) << false << true;
        QTest::addRow("more keys than remembered words")
            << qint64(2) << qint64(2500) << qint64(2500) << qint64(0) << false << true;
    }
    void hasAnyShape()
    {
        QFETCH(qint64, queries);
        QFETCH(qint64, keys);
        QFETCH(qint64, length);
        QFETCH(qint64, firstKey);
        QFETCH(bool, causal);
        QFETCH(bool, drops);
        comparesScores<double>({{2, 3, queries, keys, length, 1, 0, firstKey, causal}, false, drops});
    }

    void takesPacks_data()
    {
        QTest::addColumn<qint64>("queries");
        QTest::addColumn<qint64>("keys");
        QTest::addColumn<bool>("causal");
        QTest::addColumn<bool>("hasBias");
        QTest::addColumn<bool>("drops");
        for (const qint64 keys : {64, 128, 192, 512, 576, 1024})
            QTest::addRow("%lld keys", keys) << qint64(9) << keys << false << true << true;
        QTest::addRow("causal") << qint64(192) << qint64(192) << true << false << true;
        QTest::addRow("causal, last queries") << qint64(5) << qint64(256) << true << false << true;
        QTest::addRow("nothing dropped") << qint64(17) << qint64(128) << false << true << false;
        QTest::addRow("too many keys") << qint64(2) << qint64(1088) << false << true << true;
    }
    void takesPacks()
    {
        QFETCH(qint64, queries);
        QFETCH(qint64, keys);
        QFETCH(bool, causal);
        QFETCH(bool, hasBias);
        QFETCH(bool, drops);
        const ScoreCase one{{2, 3, queries, keys, keys, 1, 0, 0, causal}, hasBias, drops};
        comparesScores<BFloat16>(one);
        comparesScores<Float16>(one);
    }

    // A row without any key that counts is spread over all keys, as by the softmax of the same numbers.
    void spreadsARowOfPaddingEvenly()
    {
        const ScoreShape shape{1, 1, 1, 48, 48};
        DeviceArray<float> scores(48, 0.0f), bias(48, std::numeric_limits<float>::lowest()), y(48), logSum(1);
        LAUNCHES(launchProbabilities<float>(scores.data(), shape, 1, {bias.data(), 0, 0}, nullptr, {},
                                            y.data(), logSum.data(), nullptr));
        for (std::size_t key = 0; key < 48; ++key)
            QVERIFY(y[key] == y[0] && y[key] > 0);
    }

    void spreadsARowOfPaddingEvenlyInPacks()
    {
        const ScoreShape shape{1, 1, 1, 64, 64};
        const std::uint16_t lowest = 0xff7f;
        DeviceArray<BFloat16> scores(64), bias(64, BFloat16{lowest}), y(64);
        DeviceArray<float> logSum(1);
        LAUNCHES(launchProbabilities<BFloat16>(scores.data(), shape, 1, {bias.data(), 0, 0}, nullptr, {},
                                               y.data(), logSum.data(), nullptr));
        for (std::size_t key = 0; key < 64; ++key)
            QCOMPARE(numberOf(y[key]), 1.0 / 64);
    }
};

QTEST_APPLESS_MAIN(TestScoreKernels)
#include "tst_score_kernels.moc"
