#include "engine/device/cuda/attention_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

constexpr float kScoreScale = 0.125f;
const DropoutRates kHeadDropout{1u << 30, 1.0 / 0.75, {{42, 7}, 5, 3, 0}};

struct AttentionCase {
    AttentionShape shape;
    bool hasBias = false; ///< the last five keys of every sequence are padding
    bool drops = true;
};

std::vector<std::uint64_t> samplesOfSequences(const AttentionShape& s)
{
    std::vector<std::uint64_t> samples;
    for (std::int64_t i = 0; i < s.sequences; ++i)
        samples.push_back(std::uint64_t(i + 3) << 31);
    return samples;
}

/// A head of a sequence in float64, with its gradients.
class HeadHere {
public:
    HeadHere(const AttentionCase& c, std::int64_t sequence, std::int64_t head,
             const std::vector<double>& tokens, const std::vector<double>& upstream)
        : m_case(c), m_sequence(sequence), m_head(head), m_tokens(tokens), m_upstream(upstream)
    {
    }

    std::size_t place(std::int64_t token, int part, std::int64_t i) const
    {
        const AttentionShape& s = m_case.shape;
        return std::size_t(
            (((m_sequence * s.length + token) * 3 + part) * s.heads + m_head) * kAttentionWidth + i);
    }
    std::size_t contextPlace(std::int64_t token, std::int64_t i) const
    {
        const AttentionShape& s = m_case.shape;
        return std::size_t(((m_sequence * s.length + token) * s.heads + m_head) * kAttentionWidth + i);
    }
    std::vector<std::uint8_t> keptOf(std::int64_t query) const
    {
        const AttentionShape& s = m_case.shape;
        std::vector<std::uint8_t> mask(std::size_t(s.length), 1);
        DropoutStream stream = kHeadDropout.site;
        stream.sample = samplesOfSequences(s)[std::size_t(m_sequence)];
        if (m_case.drops)
            fillDropoutMask(mask.data(), ((s.firstHead + m_head) * s.length + query) * s.length, s.length,
                            kHeadDropout.dropBelow, stream);
        return mask;
    }

    /// Adds the head's part of the context and of the gradient of the tokens.
    void compute(std::vector<double>& context, std::vector<double>& gradient) const
    {
        for (std::int64_t query = 0; query < m_case.shape.length; ++query)
            computeQuery(query, context, gradient);
    }

private:
    double dot(std::size_t a, std::size_t b) const
    {
        double sum = 0;
        for (std::size_t i = 0; i < std::size_t(kAttentionWidth); ++i)
            sum += m_tokens[a + i] * m_tokens[b + i];
        return sum;
    }

    void computeQuery(std::int64_t query, std::vector<double>& context, std::vector<double>& gradient) const
    {
        const AttentionShape& s = m_case.shape;
        const std::vector<std::uint8_t> kept = keptOf(query);
        const std::int64_t seen = s.causal ? query + 1 : s.length;
        std::vector<double> p, dp;
        double sum = 0;
        for (std::int64_t key = 0; key < seen; ++key) {
            const bool isPadding = m_case.hasBias && key >= s.length - 5;
            p.push_back(isPadding ? 0 : std::exp(kScoreScale * dot(place(query, 0, 0), place(key, 1, 0))));
            sum += p.back();
        }
        double mean = 0;
        for (std::int64_t key = 0; key < seen; ++key) {
            p[std::size_t(key)] /= sum;
            const double factor = kept[std::size_t(key)] ? (m_case.drops ? kHeadDropout.scale : 1.0) : 0.0;
            double ofValue = 0;
            for (std::int64_t i = 0; i < kAttentionWidth; ++i) {
                const double dy = m_upstream[contextPlace(query, i)];
                const double value = m_tokens[place(key, 2, i)];
                context[contextPlace(query, i)] += factor * p[std::size_t(key)] * value;
                gradient[place(key, 2, i)] += factor * p[std::size_t(key)] * dy;
                ofValue += dy * value;
            }
            dp.push_back(factor * ofValue);
            mean += p[std::size_t(key)] * dp.back();
        }
        for (std::int64_t key = 0; key < seen; ++key) {
            const double ds = kScoreScale * p[std::size_t(key)] * (dp[std::size_t(key)] - mean);
            for (std::int64_t i = 0; i < kAttentionWidth; ++i) {
                gradient[place(query, 0, i)] += ds * m_tokens[place(key, 1, i)];
                gradient[place(key, 1, i)] += ds * m_tokens[place(query, 0, i)];
            }
        }
    }

    const AttentionCase& m_case;
    std::int64_t m_sequence;
    std::int64_t m_head;
    const std::vector<double>& m_tokens;
    const std::vector<double>& m_upstream;
};

/// By the norm of the difference: probabilities and their gradients are rounded to T on the way, and where
/// nothing is dropped the sums nearly cancel.
template <typename T>
void compareNorms(const std::vector<T>& found, const std::vector<double>& expected)
{
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        difference += std::pow(numberOf(found[i]) - expected[i], 2);
        norm += expected[i] * expected[i];
    }
    const double error = std::sqrt(difference / norm);
    QVERIFY2(error < 10 * kRounding<T>, QByteArray::number(error / kRounding<T>));
}

template <typename T>
void comparesAttention(const AttentionCase& c)
{
    const AttentionShape& s = c.shape;
    const std::int64_t tokens = s.sequences * s.length, width = s.heads * kAttentionWidth;
    const auto values = wave<T>(3 * tokens * width, 0.37, 1.5);
    const auto dy = wave<T>(tokens * width, 0.053, 1);
    std::vector<T> padding(std::size_t(tokens), narrow<T>(0));
    for (std::int64_t i = 0; i < tokens; ++i)
        padding[std::size_t(i)] = narrow<T>(i % s.length >= s.length - 5 ? -60000.0f : 0.0f);
    DeviceArray<T> queryKeyValue(values), upstream(dy), bias(padding), context(dy.size()),
        gradient(values.size());
    DeviceArray<std::uint64_t> samples(samplesOfSequences(s)), kept{std::size_t(s.keptWords())};
    DeviceArray<float> logSums{std::size_t(tokens * s.heads)}, products{std::size_t(tokens * s.heads)};
    const AttentionInput<T> input{queryKeyValue.data(), c.hasBias ? bias.data() : nullptr, s.length,
                                  c.drops ? samples.data() : nullptr, kScoreScale};
    const AttentionResult<T> result{context.data(), logSums.data(), c.drops ? kept.data() : nullptr};
    QVERIFY(hasAttentionKernel(s));
    LAUNCHES(launchAttention<T>(input, s, kHeadDropout, result, nullptr));
    LAUNCHES(launchAttentionGradient<T>(input, s, kHeadDropout, result,
                                        {upstream.data(), gradient.data(), products.data()}, nullptr));
    std::vector<double> numbers, dyHere;
    for (const T one : values)
        numbers.push_back(numberOf(one));
    for (const T one : dy)
        dyHere.push_back(numberOf(one));
    std::vector<double> contextHere(dyHere.size()), gradientHere(numbers.size());
    for (std::int64_t sequence = 0; sequence < s.sequences; ++sequence)
        for (std::int64_t head = 0; head < s.heads; ++head) {
            const HeadHere here(c, sequence, head, numbers, dyHere);
            here.compute(contextHere, gradientHere);
            for (std::int64_t query = 0; query < s.length && c.drops; ++query) {
                const auto mask = here.keptOf(query);
                const std::int64_t row = ((sequence * s.heads + head) * s.length + query) * (s.length / 64);
                for (std::int64_t key = 0; key < (s.causal ? query + 1 : s.length); ++key)
                    QCOMPARE(kept[std::size_t(row + key / 64)] >> key % 64 & 1, mask[std::size_t(key)]);
            }
        }
    compareNorms(context.values(), contextHere);
    compareNorms(gradient.values(), gradientHere);
}

} // namespace

/// Attention that keeps no scores against a loop in float64.
class TestAttentionKernels : public QObject {
    Q_OBJECT

private slots:
    void attends_data()
    {
        QTest::addColumn<qint64>("length");
        QTest::addColumn<bool>("causal");
        QTest::addColumn<bool>("hasBias");
        QTest::addColumn<bool>("drops");
        QTest::addRow("one tile") << qint64(64) << false << false << true;
        QTest::addRow("two tiles, padding") << qint64(128) << false << true << true;
        QTest::addRow("causal") << qint64(128) << true << false << true;
        QTest::addRow("nothing dropped") << qint64(128) << false << true << false;
    }
    void attends()
    {
        QFETCH(qint64, length);
        QFETCH(bool, causal);
        QFETCH(bool, hasBias);
        QFETCH(bool, drops);
        comparesAttention<BFloat16>({{1, 2, length, 1, causal}, hasBias, drops});
    }

    void attendsInFloat16() { comparesAttention<Float16>({{2, 1, 64, 3, false}, true, true}); }

    void refusesLengthsThatAreNoTiles()
    {
        QVERIFY(!hasAttentionKernel({1, 1, 100}));
        QVERIFY(!hasAttentionKernel({1, 1, 0}));
    }
};

QTEST_APPLESS_MAIN(TestAttentionKernels)
#include "tst_attention_kernels.moc"
