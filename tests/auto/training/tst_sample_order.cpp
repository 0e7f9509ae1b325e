#include <QTest>

#include <algorithm>
#include <set>
#include <vector>

#include "engine/training/data/permutation.h"
#include "engine/training/data/sample_order.h"

using namespace trainyard;

class TestSampleOrder : public QObject {
    Q_OBJECT

private slots:
    void permutesEverySize()
    {
        for (std::uint64_t size = 1; size < 300; ++size) {
            const Permutation permutation(size, 99);
            std::set<std::uint64_t> values;
            for (std::uint64_t i = 0; i < size; ++i) {
                values.insert(permutation.at(i));
                QCOMPARE(permutation.inverse(permutation.at(i)), i);
            }
            QCOMPARE(values.size(), std::size_t(size));
            QCOMPARE(*values.rbegin(), size - 1);
        }
    }

    void givesAnotherOrderForEveryKey()
    {
        std::set<std::vector<std::uint64_t>> orders;
        for (std::uint64_t key = 0; key < 50; ++key) {
            const Permutation permutation(20, key);
            std::vector<std::uint64_t> order;
            for (std::uint64_t i = 0; i < 20; ++i)
                order.push_back(permutation.at(i));
            orders.insert(order);
        }
        QCOMPARE(orders.size(), std::size_t(50));
    }

    void movesEveryPlaceToEveryOtherAboutEquallyOften()
    {
        // 6400 keys, 8 places: 800 expected per pair, standard deviation about 26.
        std::vector<int> counts(64);
        for (std::uint64_t key = 0; key < 6400; ++key) {
            const Permutation permutation(8, mixKey(key, 1));
            for (std::uint64_t i = 0; i < 8; ++i)
                ++counts[i * 8 + permutation.at(i)];
        }
        const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
        QVERIFY2(*least > 800 - 5 * 26 && *most < 800 + 5 * 26,
                 qPrintable(QString("%1 %2").arg(*least).arg(*most)));
    }

    void visitsEveryRowOncePerEpoch_data()
    {
        QTest::addColumn<int>("rows");
        for (const int rows : {1, 7, 8, 9, 31, 32, 33, 64, 100, 1000})
            QTest::addRow("%d rows", rows) << rows;
    }
    void visitsEveryRowOncePerEpoch()
    {
        QFETCH(int, rows);
        const SampleOrder order(std::uint64_t(rows), 42, {8, 4});
        std::vector<std::vector<std::uint64_t>> epochs;
        for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
            std::vector<std::uint64_t> seen;
            for (int i = 0; i < rows; ++i)
                seen.push_back(order.rowOf(epoch * std::uint64_t(rows) + std::uint64_t(i)));
            epochs.push_back(seen);
            std::sort(seen.begin(), seen.end());
            for (int i = 0; i < rows; ++i)
                QCOMPARE(seen[std::size_t(i)], std::uint64_t(i));
        }
        if (rows > 8)
            QVERIFY(epochs[0] != epochs[1] && epochs[1] != epochs[2]);
    }

    void touchesOnlyOneWindowOfBlocksAtATime()
    {
        const SampleOrder order(1000, 5, {8, 4});
        for (std::uint64_t first = 0; first + 32 <= 1000; first += 32) {
            std::set<std::uint64_t> blocks;
            for (std::uint64_t i = first; i < first + 32; ++i)
                blocks.insert(order.rowOf(i) / 8);
            QVERIFY(blocks.size() <= 5); // one more where the data set is no multiple of a block
        }
    }
};

QTEST_APPLESS_MAIN(TestSampleOrder)
#include "tst_sample_order.moc"
