#include <QTest>

#include <algorithm>
#include <random>

#include "engine/planner/pipeline/stage_partition.h"

using namespace trainyard;

namespace {

/// "10 | 1 1 2 | 4": embeddings, layers, head.
PartCosts costsOf(const QString& text)
{
    const QStringList parts = text.split('|');
    PartCosts costs{parts[0].toDouble(), {}, parts[2].toDouble()};
    for (const QString& cost : parts[1].split(' ', Qt::SkipEmptyParts))
        costs.layers.push_back(cost.toDouble());
    return costs;
}

QString print(const std::vector<int>& counts)
{
    QStringList words;
    for (const int count : counts)
        words << QString::number(count);
    return words.join(' ');
}

/// What the best partition is judged by, in this order.
struct Verdict {
    double heaviest = 0;
    double squares = 0;
    std::vector<int> counts;

    auto operator<=>(const Verdict&) const = default;
};

Verdict verdictOn(const PartCosts& costs, const std::vector<int>& counts)
{
    Verdict verdict{0, 0, counts};
    for (const double load : stageLoads(costs, counts)) {
        verdict.heaviest = std::max(verdict.heaviest, load);
        verdict.squares += load * load;
    }
    return verdict;
}

/// The best of all ways to deal `layers` layers to `stages` stages behind those already in `counts`.
void tryAll(const PartCosts& costs, int layers, int stages, std::vector<int>& counts, Verdict& best)
{
    if (stages == 0) {
        if (layers == 0)
            best = std::min(best, verdictOn(costs, counts));
        return;
    }
    for (int own = 1; own <= layers; ++own) {
        counts.push_back(own);
        tryAll(costs, layers - own, stages - 1, counts, best);
        counts.pop_back();
    }
}

} // namespace

class TestStagePartition : public QObject {
    Q_OBJECT

private slots:
    void balancesStagesByCost_data()
    {
        QTest::addColumn<QString>("costs");
        QTest::addColumn<int>("stages");
        QTest::addColumn<QString>("counts");
        // By hand.
        QTest::addRow("equal layers") << "0 | 1 1 1 1 1 1 1 1 | 0" << 4 << "2 2 2 2";
        QTest::addRow("one stage") << "3 | 1 1 1 | 5" << 1 << "3";
        QTest::addRow("one layer each") << "3 | 1 1 1 | 5" << 3 << "1 1 1";
        QTest::addRow("heavy ends") << "0 | 4 1 1 1 1 4 | 0" << 3 << "1 4 1";
        QTest::addRow("heavy embeddings") << "4 | 1 1 1 1 1 1 1 1 | 0" << 3 << "1 3 4";
        QTest::addRow("heavy head") << "0 | 2 2 2 2 2 2 2 2 | 5" << 2 << "5 3";
        QTest::addRow("head heavier than all") << "0 | 1 1 1 1 1 1 1 | 100" << 4 << "2 2 2 1";
        QTest::addRow("longer stages behind") << "0 | 1 1 1 1 1 | 0" << 2 << "2 3";
    }
    void balancesStagesByCost()
    {
        QFETCH(QString, costs);
        QFETCH(int, stages);
        QTEST(print(partitionLayers(costsOf(costs), stages).value()), "counts");
    }

    void findsTheBestOfAll()
    {
        std::mt19937 random(7);
        std::uniform_int_distribution<int> cost(0, 9); // whole numbers: sums are exact
        for (int round = 0; round < 60; ++round) {
            const int layers = 1 + round % 9;
            PartCosts costs{2.0 * cost(random), {}, 2.0 * cost(random)};
            for (int i = 0; i < layers; ++i)
                costs.layers.push_back(cost(random));
            for (int stages = 1; stages <= layers; ++stages) {
                std::vector<int> counts;
                Verdict best{1e9, 0, {}};
                tryAll(costs, layers, stages, counts, best);
                QCOMPARE(print(partitionLayers(costs, stages).value()), print(best.counts));
            }
        }
    }

    void refusesFewerLayersThanStages()
    {
        const auto counts = partitionLayers(costsOf("0 | 1 1 1 | 0"), 4);
        QVERIFY(!counts.ok());
        QCOMPARE(counts.error().kind, ErrorKind::Refused);
        QCOMPARE(QString::fromStdString(counts.error().text()),
                 "3 layers cannot fill 4 stages — use at most 3 stages");
    }
};

QTEST_APPLESS_MAIN(TestStagePartition)
#include "tst_stage_partition.moc"
