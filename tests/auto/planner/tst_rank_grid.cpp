#include <QTest>

#include <set>

#include "engine/planner/layout/rank_grid.h"

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

QString print(const std::vector<Rank>& ranks)
{
    QStringList members;
    for (const Rank member : ranks)
        members << QString::number(member.value);
    return "[" + members.join(',') + "]";
}

/// Each group once, in the order of its lowest rank.
template <typename GroupOf>
QString printEach(const RankGrid& grid, GroupOf groupOf)
{
    QStringList groups;
    for (int r = 0; r < grid.worldSize().value; ++r)
        groups << print(groupOf(Rank{r}));
    groups.removeDuplicates();
    return groups.join("");
}

QString printGroups(const RankGrid& grid, const std::vector<Axis>& axes)
{
    return printEach(grid, [&](Rank rank) { return grid.group(rank, axes); });
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
        QTest::addColumn<QString>("deepSpeed");
        // Written out by hand for 2 x 2 x 2. PDT is the default of Megatron and of DeepSpeed.
        QTest::addRow("DPT") << "DPT"
                             << "000 001 010 011 100 101 110 111"
                             << "tp-pp-dp"
                             << "data-pipe-model";
        QTest::addRow("cluster") << "cluster"
                                 << "000 001 010 011 100 101 110 111"
                                 << "tp-pp-dp"
                                 << "data-pipe-model";
        QTest::addRow("DTP") << "DTP"
                             << "000 010 001 011 100 110 101 111"
                             << "pp-tp-dp"
                             << "data-model-pipe";
        QTest::addRow("PDT") << "PDT"
                             << "000 001 100 101 010 011 110 111"
                             << "tp-dp-pp"
                             << "pipe-data-model";
        QTest::addRow("PTD") << "PTD"
                             << "000 100 001 101 010 110 011 111"
                             << "dp-tp-pp"
                             << "pipe-model-data";
        QTest::addRow("TDP") << "TDP"
                             << "000 010 100 110 001 011 101 111"
                             << "pp-dp-tp"
                             << "model-data-pipe";
        QTest::addRow("TPD") << "TPD"
                             << "000 100 010 110 001 101 011 111"
                             << "dp-pp-tp"
                             << "model-pipe-data";
        QTest::addRow("spread") << "spread"
                                << "000 100 010 110 001 101 011 111"
                                << "dp-pp-tp"
                                << "model-pipe-data";
    }
    void followsThePlacementString()
    {
        QFETCH(QString, placement);
        const auto grid = RankGrid::create(layoutOf(2, 2, 2, placement.toStdString())).value();
        QTEST(printCoords(grid), "coords");
        QTEST(QString::fromStdString(grid.megatronOrder()), "megatron");
        QTEST(QString::fromStdString(grid.deepSpeedOrder()), "deepSpeed");
    }

    void readsTheLettersOfAPlacement()
    {
        QCOMPARE(placementLetters("cluster").value(), "DPT");
        QCOMPARE(placementLetters("spread").value(), "TPD");
        QCOMPARE(placementLetters("PDT").value(), "PDT");
        QVERIFY(!placementLetters("DPP").ok());
    }

    void numbersGroupsByTheirLowestRanks()
    {
        for (const char* placement : {"DPT", "DTP", "PDT", "PTD", "TDP", "TPD"}) {
            ParallelLayout layout = layoutOf(2, 3, 2, placement);
            layout.context = 2;
            const auto grid = RankGrid::create(layout).value();
            for (const auto& axes : {std::vector{Axis::Tensor}, std::vector{Axis::Pipeline},
                                     std::vector{Axis::Data, Axis::Context}}) {
                std::set<std::vector<Rank>> seen;
                for (int rank = 0; rank < grid.worldSize().value; ++rank) {
                    const auto group = grid.group(Rank{rank}, axes);
                    if (seen.insert(group).second) // ranks ascend: this one is its lowest
                        QCOMPARE(grid.groupNumber(Rank{rank}, axes), int(seen.size()) - 1);
                    QCOMPARE(grid.groupNumber(Rank{rank}, axes), grid.groupNumber(group.front(), axes));
                }
            }
        }
    }

    void formsTheGroupsOfMegatron_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QString>("pipeline");
        QTest::addColumn<QString>("embedding");
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("sameLayers");
        // Printed by the algorithm of Megatron-Core, parallel_state.py:
        // generate_masked_orthogonal_rank_groups, for data 2, pipeline 3, tensor 2.
        QTest::addRow("DPT") << "DPT"
                             << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                             << "[0,1][2,3][4,5][6,7][8,9][10,11]"
                             << "[0,2,4][1,3,5][6,8,10][7,9,11]"
                             << "[0,4][1,5][6,10][7,11]"
                             << "[0,1,2,3,4,5][6,7,8,9,10,11]"
                             << "[0,1,6,7][2,3,8,9][4,5,10,11]";
        QTest::addRow("DTP") << "DTP"
                             << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                             << "[0,3][1,4][2,5][6,9][7,10][8,11]"
                             << "[0,1,2][3,4,5][6,7,8][9,10,11]"
                             << "[0,2][3,5][6,8][9,11]"
                             << "[0,1,2,3,4,5][6,7,8,9,10,11]"
                             << "[0,3,6,9][1,4,7,10][2,5,8,11]";
        QTest::addRow("PDT") << "PDT"
                             << "[0,2][1,3][4,6][5,7][8,10][9,11]"
                             << "[0,1][2,3][4,5][6,7][8,9][10,11]"
                             << "[0,4,8][1,5,9][2,6,10][3,7,11]"
                             << "[0,8][1,9][2,10][3,11]"
                             << "[0,1,4,5,8,9][2,3,6,7,10,11]"
                             << "[0,1,2,3][4,5,6,7][8,9,10,11]";
        QTest::addRow("PTD") << "PTD"
                             << "[0,1][2,3][4,5][6,7][8,9][10,11]"
                             << "[0,2][1,3][4,6][5,7][8,10][9,11]"
                             << "[0,4,8][1,5,9][2,6,10][3,7,11]"
                             << "[0,8][1,9][2,10][3,11]"
                             << "[0,2,4,6,8,10][1,3,5,7,9,11]"
                             << "[0,1,2,3][4,5,6,7][8,9,10,11]";
        QTest::addRow("TDP") << "TDP"
                             << "[0,3][1,4][2,5][6,9][7,10][8,11]"
                             << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                             << "[0,1,2][3,4,5][6,7,8][9,10,11]"
                             << "[0,2][3,5][6,8][9,11]"
                             << "[0,1,2,6,7,8][3,4,5,9,10,11]"
                             << "[0,3,6,9][1,4,7,10][2,5,8,11]";
        QTest::addRow("TPD") << "TPD"
                             << "[0,1][2,3][4,5][6,7][8,9][10,11]"
                             << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                             << "[0,2,4][1,3,5][6,8,10][7,9,11]"
                             << "[0,4][1,5][6,10][7,11]"
                             << "[0,2,4,6,8,10][1,3,5,7,9,11]"
                             << "[0,1,6,7][2,3,8,9][4,5,10,11]";
    }
    void formsTheGroupsOfMegatron()
    {
        QFETCH(QString, placement);
        const auto grid = RankGrid::create(layoutOf(2, 3, 2, placement.toStdString())).value();
        QTEST(printGroups(grid, {Axis::Data}), "data");
        QTEST(printGroups(grid, {Axis::Tensor}), "tensor");
        QTEST(printGroups(grid, {Axis::Pipeline}), "pipeline");
        QTEST(printEach(grid, [&](Rank rank) { return grid.embeddingGroup(rank); }), "embedding");
        QTEST(printGroups(grid, {Axis::Pipeline, Axis::Tensor}), "model");
        QTEST(printGroups(grid, {Axis::Data, Axis::Tensor}), "sameLayers");
    }

    void sharesSequencesAmongNeighboursAlongTheDataAxis_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<QString>("context");
        QTest::addColumn<QString>("data");
        QTest::addColumn<QString>("sameWeights");
        QTest::addColumn<QString>("megatron");
        QTest::addColumn<QString>("deepSpeed");
        // Written out by hand for data 2, context 3, tensor 2.
        QTest::addRow("DPT") << "DPT"
                             << "[0,2,4][1,3,5][6,8,10][7,9,11]"
                             << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                             << "[0,2,4,6,8,10][1,3,5,7,9,11]"
                             << "tp-pp-cp-dp"
                             << "data-context-pipe-model";
        QTest::addRow("TPD") << "TPD"
                             << "[0,1,2][3,4,5][6,7,8][9,10,11]"
                             << "[0,3][1,4][2,5][6,9][7,10][8,11]"
                             << "[0,1,2,3,4,5][6,7,8,9,10,11]"
                             << "cp-dp-pp-tp"
                             << "model-pipe-data-context";
    }
    void sharesSequencesAmongNeighboursAlongTheDataAxis()
    {
        QFETCH(QString, placement);
        ParallelLayout layout = layoutOf(2, 1, 2, placement.toStdString());
        layout.context = 3;
        const auto grid = RankGrid::create(layout).value();
        QTEST(printGroups(grid, {Axis::Context}), "context");
        QTEST(printGroups(grid, {Axis::Data}), "data");
        QTEST(printGroups(grid, {Axis::Data, Axis::Context}), "sameWeights");
        QTEST(QString::fromStdString(grid.megatronOrder()), "megatron");
        QTEST(QString::fromStdString(grid.deepSpeedOrder()), "deepSpeed");
        for (int r = 0; r < grid.worldSize().value; ++r)
            QCOMPARE(grid.rankOf(grid.coordOf(Rank{r})), Rank{r});
    }

    void sharesExpertsAmongDataParallelRanks_data()
    {
        QTest::addColumn<QString>("placement");
        QTest::addColumn<bool>("isOuter");
        QTest::addColumn<QString>("experts");
        QTest::addColumn<QString>("copies");
        QTest::addColumn<QString>("megatron");
        // Written out by hand for data 6, tensor 2, experts among 3.
        QTest::addRow("DPT, inner") << "DPT" << false << "[0,2,4][1,3,5][6,8,10][7,9,11]"
                                    << "[0,6][1,7][2,8][3,9][4,10][5,11]"
                                    << "tp-pp-ep-dp";
        QTest::addRow("DPT, outer") << "DPT" << true << "[0,4,8][1,5,9][2,6,10][3,7,11]"
                                    << "[0,2][1,3][4,6][5,7][8,10][9,11]"
                                    << "tp-pp-dp-ep";
        QTest::addRow("TPD, inner") << "TPD" << false << "[0,1,2][3,4,5][6,7,8][9,10,11]"
                                    << "[0,3][1,4][2,5][6,9][7,10][8,11]"
                                    << "ep-dp-pp-tp";
    }
    void sharesExpertsAmongDataParallelRanks()
    {
        QFETCH(QString, placement);
        QFETCH(bool, isOuter);
        ParallelLayout layout = layoutOf(6, 1, 2, placement.toStdString());
        const QString data = printGroups(RankGrid::create(layout).value(), {Axis::Data});
        layout.expert = 3;
        layout.expertPlacement = isOuter ? ExpertPlacement::Outer : ExpertPlacement::Inner;
        const auto grid = RankGrid::create(layout).value();
        QTEST(printGroups(grid, {Axis::Expert}), "experts");
        QTEST(printGroups(grid, {Axis::ExpertCopies}), "copies");
        QCOMPARE(printGroups(grid, {Axis::Data}),
                 data); // whoever shares experts, samples stay where they were
        QTEST(QString::fromStdString(grid.megatronOrder()), "megatron");
        for (int r = 0; r < grid.worldSize().value; ++r)
            QCOMPARE(grid.rankOf(grid.coordOf(Rank{r})), Rank{r});
        layout.expert = 4;
        QVERIFY(!RankGrid::create(layout).ok());
    }

    void sharesStatesAmongNeighbours()
    {
        ParallelLayout layout = layoutOf(6, 1, 2, "DPT");
        layout.shard = 3;
        const auto print = [](const std::vector<std::vector<Rank>>& shards) {
            QString text;
            for (const std::vector<Rank>& shard : shards)
                text += ::print(shard);
            return text;
        };
        const auto grid = RankGrid::create(layout).value();
        QCOMPARE(print(grid.shards(Rank{7}, false)), "[1,3,5][7,9,11]");
        layout.shard = 0;
        QCOMPARE(print(RankGrid::create(layout).value().shards(Rank{7}, false)), "[1,3,5,7,9,11]");
        layout.shard = 4;
        QVERIFY(!RankGrid::create(layout).ok());
        layout.shard = -1;
        QVERIFY(!RankGrid::create(layout).ok());
    }

    void sharesTheStatesOfExpertsAmongNeighboursWithTheSame()
    {
        ParallelLayout layout = layoutOf(8, 1, 1, "DPT");
        layout.expert = 2;
        layout.shard = 4;
        const auto sizes = [&] {
            const auto shards = RankGrid::create(layout).value().shards(Rank{3}, true);
            QString text;
            for (const std::vector<Rank>& shard : shards)
                text += print(shard);
            return text;
        };
        QCOMPARE(sizes(), "[1,3][5,7]");
        QCOMPARE(layout.expertShardRanks(), 2);
        layout.shard = 2;
        QCOMPARE(sizes(), "[1][3][5][7]");
        QCOMPARE(layout.expertShardRanks(), 1);
        layout.expertPlacement = ExpertPlacement::Outer;
        QCOMPARE(sizes(), "[0,1][2,3]");
        QCOMPARE(layout.expertShardRanks(), 2);
        layout.shard = 8;
        QCOMPARE(sizes(), "[0,1,2,3]");
        QCOMPARE(layout.expertShardRanks(), 4);
    }

    void hasGroupsOfOneWithoutThatKindOfParallelism()
    {
        const auto grid = RankGrid::create(layoutOf(3, 1, 1, "cluster")).value();
        QCOMPARE(print(grid.group(Rank{1}, Axis::Pipeline)), "[1]");
        QCOMPARE(print(grid.embeddingGroup(Rank{1})), "[1]");
        QCOMPARE(print(grid.group(Rank{1}, {Axis::Data, Axis::Pipeline, Axis::Tensor})), "[0,1,2]");
    }

    void groupsPartitionsOnNeighboursOrSpread()
    {
        // SageMaker's own example: 8 ranks in 2 partitions.
        const auto cluster = RankGrid::create(layoutOf(4, 2, 1, "cluster")).value();
        QCOMPARE(printGroups(cluster, {Axis::Pipeline}), "[0,1][2,3][4,5][6,7]");
        const auto spread = RankGrid::create(layoutOf(4, 2, 1, "spread")).value();
        QCOMPARE(printGroups(spread, {Axis::Pipeline}), "[0,4][1,5][2,6][3,7]");
    }

    void mapsBackAndForth()
    {
        const auto grid = RankGrid::create(layoutOf(3, 2, 5, "TDP")).value();
        std::set<int> seen;
        for (int r = 0; r < 30; ++r)
            seen.insert(grid.rankOf(grid.coordOf(Rank{r})).value);
        QCOMPARE(seen.size(), std::size_t(30));
    }

    void tellsTheCoordinatesOfNeighbours()
    {
        for (const char* placement : {"DPT", "PDT", "TDP"}) {
            const auto grid = RankGrid::create(layoutOf(3, 2, 5, placement)).value();
            for (int first = 0; first < 30; ++first) {
                for (int count = 1; first + count <= 30; ++count) {
                    std::set<int> expected;
                    for (int rank = first; rank < first + count; ++rank)
                        expected.insert(grid.coordOf(Rank{rank}).pipeline);
                    const std::vector<int> found = grid.coordsAlong(Axis::Pipeline, Rank{first}, count);
                    QCOMPARE(std::set<int>(found.begin(), found.end()), expected);
                    QCOMPARE(found.size(), expected.size());
                }
            }
        }
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
