#include <QTest>

#include <map>
#include <random>

#include "datasets/tokenizer_json/pair_merger.h"

using namespace trainyard;

namespace {

using TokenIdList = std::vector<std::int32_t>;
using PairRanks = std::map<std::pair<std::int32_t, std::int32_t>, MergeTable::Merge>;

/// The definition, word for word.
TokenIdList mergedPlainly(const PairRanks& ranks, TokenIdList ids)
{
    for (;;) {
        std::size_t best = ids.size();
        std::uint32_t rank = MergeTable::kNone;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            const auto found = ranks.find({ids[i], ids[i + 1]});
            if (found != ranks.end() && found->second.rank < rank) {
                best = i;
                rank = found->second.rank;
            }
        }
        if (best == ids.size())
            return ids;
        ids[best] = ranks.at({ids[best], ids[best + 1]}).id;
        ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
}

/// Merges of random pairs of the tokens so far, of which there are `letters` at first.
PairRanks randomMerges(std::mt19937& random, std::int32_t letters, std::size_t count)
{
    PairRanks ranks;
    std::int32_t next = letters;
    for (std::uint32_t rank = 0; ranks.size() < count; ++rank) {
        const auto pick = [&] { return static_cast<std::int32_t>(random() % static_cast<unsigned>(next)); };
        if (ranks.emplace(std::pair(pick(), pick()), MergeTable::Merge{rank, next}).second)
            ++next;
    }
    return ranks;
}

MergeTable tableOf(const PairRanks& ranks)
{
    MergeTable table(ranks.size());
    for (const auto& [pair, merge] : ranks)
        table.add(pair.first, pair.second, merge);
    return table;
}

} // namespace

class TestPairMerger : public QObject {
    Q_OBJECT

private slots:
    void mergesAsDefined();
    void leavesWhatIsBefore();
};

/// Of every length up to beyond the one from which another algorithm takes over.
void TestPairMerger::mergesAsDefined()
{
    std::mt19937 random(1);
    PairMerger merger;
    for (int round = 0; round < 40; ++round) {
        const std::int32_t letters = 2 + static_cast<std::int32_t>(random() % 4);
        const PairRanks ranks = randomMerges(random, letters, 5 + random() % 60);
        const MergeTable table = tableOf(ranks);
        for (std::size_t length = 0; length < 120; length += length < 55 ? 1 : 13) {
            TokenIdList ids(length);
            for (std::int32_t& id : ids)
                id = static_cast<std::int32_t>(random() % static_cast<unsigned>(letters));
            TokenIdList merged = ids;
            merger.merge(table, merged, 0);
            QCOMPARE(merged, mergedPlainly(ranks, ids));
        }
    }
}

void TestPairMerger::leavesWhatIsBefore()
{
    const MergeTable table = tableOf({{{1, 1}, {0, 2}}, {{2, 2}, {1, 3}}});
    PairMerger merger;
    TokenIdList ids{1, 1, 1, 1, 1, 1};
    merger.merge(table, ids, 1);
    QCOMPARE(ids, (TokenIdList{1, 3, 1}));
}

QTEST_APPLESS_MAIN(TestPairMerger)
#include "tst_pair_merger.moc"
