#include "engine/device/cuda/head_launch.h"
#include "tests/device/kernels/kernel_test.h"
#include "tests/device/kernels/number_test.h"

using namespace trainyard;

namespace {

constexpr double kHeadScale = 0.125;

struct HeadPlace {
    std::int64_t part, sequence, head, token, column;

    std::size_t inTokens(const HeadExtents& e) const
    {
        return std::size_t((((sequence * e.length + token) * e.parts + part) * e.heads + head) * e.width +
                           column);
    }
    std::size_t inHeads(const HeadExtents& e) const
    {
        return std::size_t((((part * e.sequences + sequence) * e.heads + head) * e.length + token) * e.width +
                           column);
    }
};

template <typename Handle>
void forEachNumber(const HeadExtents& e, const Handle& handle)
{
    for (std::int64_t part = 0; part < e.parts; ++part)
        for (std::int64_t sequence = 0; sequence < e.sequences; ++sequence)
            for (std::int64_t head = 0; head < e.heads; ++head)
                for (std::int64_t token = 0; token < e.length; ++token)
                    for (std::int64_t column = 0; column < e.width; ++column)
                        handle(HeadPlace{part, sequence, head, token, column});
}

/// [parts, B, A, S, D], one part behind the other.
template <typename T>
HeadViews<T> partsOf(const HeadExtents& e, T* heads)
{
    HeadViews<T> views;
    for (int part = 0; part < e.parts; ++part)
        views[std::size_t(part)] = {heads + part * e.sequences * e.heads * e.length * e.width,
                                    e.heads * e.length * e.width, e.length * e.width, e.width};
    return views;
}

template <typename T>
double scaledBy(const HeadPlace& place, T number)
{
    return numberOf(number) * (place.part == 0 ? kHeadScale : 1.0);
}

template <typename T>
void splitsAndJoins(const HeadExtents& e)
{
    const std::int64_t count = e.parts * e.sequences * e.heads * e.length * e.width;
    const auto values = wave<T>(count, 0.37, 4);
    DeviceArray<T> tokens(values);
    DeviceArray<T> heads{std::size_t(count)};
    const HeadViews<T> views = partsOf(e, heads.data());
    QVERIFY(hasHeadKernel<T>(e, tokens.data(), views));
    LAUNCHES(launchSplitHeads<T>(tokens.data(), e, kHeadScale, views, nullptr));
    std::vector<double> expected(heads.size());
    forEachNumber(e, [&](const HeadPlace& place) {
        expected[place.inHeads(e)] = scaledBy(place, values[place.inTokens(e)]);
    });
    compareNumbers(heads.values(), expected, 4);
    const std::vector<T> before = heads.values();
    LAUNCHES(launchJoinHeads<T>(views, e, kHeadScale, tokens.data(), nullptr));
    forEachNumber(e, [&](const HeadPlace& place) {
        expected[place.inTokens(e)] = scaledBy(place, before[place.inHeads(e)]);
    });
    compareNumbers(tokens.values(), expected, 4);
}

} // namespace

/// Tokens to heads and back against loops.
class TestHeadKernels : public QObject {
    Q_OBJECT

private slots:
    void splitsAndJoins_data()
    {
        QTest::addColumn<QString>("type");
        QTest::addColumn<qint64>("length");
        QTest::addColumn<qint64>("width");
        QTest::addColumn<int>("parts");
        for (const char* type : kNumberTypes)
            QTest::addRow("%s", type) << type << qint64(40) << qint64(64) << 3;
        QTest::addRow("one part") << "bfloat16" << qint64(33) << qint64(128) << 1;
        QTest::addRow("odd packs") << "bfloat16" << qint64(7) << qint64(40) << 3;
    }
    void splitsAndJoins()
    {
        QFETCH(QString, type);
        QFETCH(qint64, length);
        QFETCH(qint64, width);
        QFETCH(int, parts);
        withNumberType(type, [&]<typename T>() { ::splitsAndJoins<T>({2, 3, length, width, parts}); });
    }

    // As attention in one kernel leaves its gradients: [B, S, A, D].
    void joinsHeadsOfAnyStrides()
    {
        const HeadExtents e{2, 3, 8, 16, 1};
        const auto values = wave<float>(2 * 3 * 8 * 16, 0.37, 4);
        DeviceArray<float> heads(values), tokens(values.size());
        const HeadViews<float> views{HeadView<float>{heads.data(), 8 * 3 * 16, 16, 3 * 16}};
        LAUNCHES(launchJoinHeads<float>(views, e, 1.0, tokens.data(), nullptr));
        QCOMPARE(tokens.values(), values);
    }

    void refusesWhatIsNoPack()
    {
        const HeadExtents e{1, 1, 4, 20, 1};
        DeviceArray<BFloat16> tokens(80), heads(80);
        QVERIFY(!hasHeadKernel<BFloat16>(e, tokens.data(), partsOf(e, heads.data())));
        const HeadExtents whole{1, 1, 4, 16, 1};
        QVERIFY(!hasHeadKernel<BFloat16>(whole, tokens.data() + 1, partsOf(whole, heads.data())));
    }
};

QTEST_APPLESS_MAIN(TestHeadKernels)
#include "tst_head_kernels.moc"
