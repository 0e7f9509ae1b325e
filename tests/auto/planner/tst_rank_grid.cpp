#include <QTest>

#include <set>

#include "engine/planner/rank_grid.h"

using namespace trainyard;

namespace {

ParallelLayout layoutOf(int data, int pipeline, int tensor, const std::string& placement)
{
    ParallelLayout layout;
    layout.data = data;
    layout.pipeline = pipeline;
    layout.tensor = tensor;
    layout.placement = placement;
    return layout;
}

/// "000 001 ...": (data, pipeline, tensor) of ranks 0, 1, ...
QString printCoords(const RankGrid& grid)
{
    QStringList coords;
    for (int r = 0; r < grid.worldSize().value; ++r) {
        const GridCoord c = grid.coordOf(Rank{r});
        coords << QString("%1%2%3").arg(c.data).arg(c.pipeline).arg(c.tensor);
    }
    return coords.join(' ');
}

QString printGroups(const RankGrid& grid, Axis axis)
{
    QStringList groups;
    for (int r = 0; r < grid.worldSize().value; ++r) {
        QStringList members;
        for (const Rank member : grid.group(Rank{r}, axis))
            members << QString::number(member.value);
        groups << "[" + members.join(',') + "]";
    }
    groups.removeDuplicates();
    return groups.join("");
}

} // namespace

class TestRankGrid : public QObject {
    Q_OBJECT

private slots:
    void followsThePlacementString_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<QString>("coords");
        QTest::addColumn<QString>("megatron");
        // Written out by hand for 2 x 2 x 2.
        QTest::addRow("DPT") << "DPT"
                             << "000 001 010 011 100 101 110 111"
                             << "tp-pp-dp";
        QTest::addRow("cluster") << "cluster"
                                 << "000 001 010 011 100 101 110 111"
                                 << "tp-pp-dp";
        QTest::addRow("DTP") << "DTP"
                             << "000 010 001 011 100 110 101 111"
                             << "pp-tp-dp";
        QTest::addRow("PDT") << "PDT"
                             << "000 001 100 101 010 011 110 111"
                             << "tp-dp-pp";
        QTest::addRow("PTD") << "PTD"
                             << "000 100 001 101 010 110 011 111"
                             << "dp-tp-pp";
        QTest::addRow("TDP") << "TDP"
                             << "000 010 100 110 001 011 101 111"
                             << "pp-dp-tp";
        QTest::addRow("TPD") << "TPD"
                             << "000 100 010 110 001 101 011 111"
                             << "dp-pp-tp";
        QTest::addRow("spread") << "spread"
                                << "000 100 010 110 001 101 011 111"
                                << "dp-pp-tp";
    }
    void followsThePlacementString()
    {
        QFETCH(QString, placement);
        const auto grid = RankGrid::create(layoutOf(2, 2, 2, placement.toStdString())).value();
        QTEST(printCoords(grid), "coords");
        QTEST(QString::fromStdString(grid.megatronOrder()), "megatron");
    }

    void groupsPartitionsOnNeighboursOrSpread()
    {
        // SageMaker's own example: 8 ranks in 2 partitions.
        const auto cluster = RankGrid::create(layoutOf(4, 2, 1, "cluster")).value();
        QCOMPARE(printGroups(cluster, Axis::Pipeline), "[0,1][2,3][4,5][6,7]");
        const auto spread = RankGrid::create(layoutOf(4, 2, 1, "spread")).value();
        QCOMPARE(printGroups(spread, Axis::Pipeline), "[0,4][1,5][2,6][3,7]");
    }

    void mapsBackAndForth()
    {
        const auto grid = RankGrid::create(layoutOf(3, 2, 5, "TDP")).value();
        std::set<int> seen;
        for (int r = 0; r < 30; ++r)
            seen.insert(grid.rankOf(grid.coordOf(Rank{r})).value);
        QCOMPARE(seen.size(), std::size_t(30));
    }

    void refusesAnUnknownPlacement()
    {
        const auto grid = RankGrid::create(layoutOf(2, 1, 1, "DPX"));
        QVERIFY(!grid.ok());
        QVERIFY(grid.error().message.find("DPX") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestRankGrid)
#include "tst_rank_grid.moc"
