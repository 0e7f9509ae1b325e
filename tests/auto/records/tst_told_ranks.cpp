#include <QTest>

#include "engine/records/codec.h"
#include "engine/records/told_ranks.h"
#include "engine/records/wire.h"

using namespace trainyard;

namespace {

RankStats statsOf(Bytes bytes)
{
    RankStats rank;
    rank.peakMemory[0] = bytes / 2;
    rank.peakTotal = bytes;
    rank.residentSet = 2 * bytes;
    rank.seconds[std::size_t(StepPhase::Forward)] = 0.25;
    return rank;
}

StepRecord stepOf(std::vector<RankStats> ranks)
{
    StepRecord record;
    record.step = 3;
    record.ranks = std::move(ranks);
    return record;
}

constexpr std::size_t kOneRank = sizeof(RankStats) + sizeof(std::uint32_t);
constexpr std::size_t kAllRanks = sizeof(std::uint32_t);

} // namespace

/// Steps that tell some of their ranks.
class TestToldRanks : public QObject {
    Q_OBJECT

private slots:
    void readsWhatWasWritten()
    {
        std::vector<RankStats> ranks(1000);
        ranks[7] = statsOf(4096);
        ranks[999] = statsOf(512);
        QVERIFY(tellsSomeRanks(ranks));
        const StepRecord record = stepOf(ranks);
        const std::string bytes = encodePayload(record);
        QCOMPARE(bytes.size(), encodePayload(stepOf({})).size() + 2 * kOneRank);
        QVERIFY(decodePayload(0, bytes) == Payload(record));
    }

    void takesNoMoreWhereAllAreTold()
    {
        const StepRecord record = stepOf({statsOf(4), statsOf(8), statsOf(2)});
        QVERIFY(!tellsSomeRanks(record.ranks));
        const std::string bytes = encodePayload(record);
        QCOMPARE(bytes.size(), encodePayload(stepOf({})).size() + 3 * sizeof(RankStats));
        QVERIFY(decodePayload(0, bytes) == Payload(record));
        // As earlier versions wrote it.
        QVERIFY(decodePayload(0, bytes.substr(0, bytes.size() - kAllRanks)) == Payload(record));
    }

    void tellsRanksOfWhichNothingIsKnown()
    {
        const StepRecord record = stepOf(std::vector<RankStats>(2));
        QVERIFY(!tellsSomeRanks(record.ranks));
        QVERIFY(decodePayload(0, encodePayload(record)) == Payload(record));
    }

    void refusesPlacesThatCannotBe()
    {
        std::vector<RankStats> ranks(10);
        ranks[9] = statsOf(4096);
        const std::string bytes = encodePayload(stepOf(ranks));
        const auto with = [&bytes](std::uint32_t all, std::uint32_t rank) {
            std::string changed = bytes.substr(0, bytes.size() - 2 * sizeof all);
            WireWriter out(changed);
            out.number(all);
            out.number(rank);
            return changed;
        };
        QVERIFY(decodePayload(0, with(10, 9)) == decodePayload(0, bytes));
        QVERIFY(!decodePayload(0, with(10, 10)));
        QVERIFY(!decodePayload(0, with(0, 0)));
        QVERIFY(!decodePayload(0, with(0xffffffffu, 9)));
        QVERIFY(!decodePayload(0, bytes.substr(0, bytes.size() - 1)));
    }
};

QTEST_APPLESS_MAIN(TestToldRanks)
#include "tst_told_ranks.moc"
