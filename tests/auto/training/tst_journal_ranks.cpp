#include <algorithm>
#include <random>

#include <QTest>

#include "engine/records/codec.h"
#include "engine/records/told_ranks.h"
#include "engine/training/journal_ranks.h"

using namespace trainyard;

namespace {

constexpr auto kForward = std::size_t(StepPhase::Forward);

/// `slow` of them compute half as long again as the others.
std::vector<RankStats> ranksOfStep(std::size_t count, std::size_t slow, unsigned seed)
{
    std::mt19937 random(seed);
    std::vector<RankStats> ranks(count);
    for (RankStats& rank : ranks) {
        rank.peakTotal = 1'000'000 + random() % 1000;
        rank.residentSet = 2'000'000;
        rank.seconds[kForward] = 1 + double(random() % 1000) / 1e6;
    }
    for (std::size_t i = 0; i < slow; ++i)
        ranks[random() % count].seconds[kForward] += 0.5;
    return ranks;
}

std::size_t toldOf(const std::vector<RankStats>& ranks)
{
    return std::size_t(std::ranges::count_if(ranks, isTold));
}

double averageBytes(std::size_t ranks, std::size_t slow)
{
    constexpr int kSteps = 1000;
    std::size_t bytes = 0;
    for (int number = 1; number <= kSteps; ++number) {
        StepRecord record;
        record.ranks = ranksForJournal(ranksOfStep(ranks, slow, unsigned(number)), Step{number}, number == 1);
        bytes += encodePayload(record).size();
    }
    return double(bytes) / kSteps;
}

} // namespace

/// Which ranks of a step the journal has.
class TestJournalRanks : public QObject {
    Q_OBJECT

private slots:
    void fewRanksAreInEveryStep()
    {
        for (const int number : {1, 2, 3, 100}) {
            const std::vector<RankStats> ranks = ranksOfStep(64, 3, 1);
            QVERIFY(ranksForJournal(ranks, Step{number}, false) == ranks);
        }
    }

    void manyRanksTakeAFewBytesAStep_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("slow");
        for (const int ranks : {65, 1024, 4096}) {
            QTest::addRow("%d", ranks) << ranks << 0;
            QTest::addRow("%d, some always slow", ranks) << ranks << ranks / 20;
        }
    }
    void manyRanksTakeAFewBytesAStep()
    {
        QFETCH(const int, ranks);
        QFETCH(const int, slow);
        const double bytes = averageBytes(std::size_t(ranks), std::size_t(slow));
        qInfo("%.0f bytes", bytes);
        QVERIFY2(bytes < 3000, qPrintable(QString::number(bytes)));
    }

    void allRanksComeNowAndThen()
    {
        const std::vector<RankStats> ranks = ranksOfStep(1024, 0, 1);
        QCOMPARE(stepsBetweenTables(1024), 128);
        QVERIFY(ranksForJournal(ranks, Step{1000}, true) == ranks);
        QVERIFY(ranksForJournal(ranks, Step{1024}, false) == ranks);
        QVERIFY(ranksForJournal(ranks, Step{1023}, false) != ranks);
    }

    void everyStepHasItsMaximaAndItsSlowRanks()
    {
        std::vector<RankStats> ranks = ranksOfStep(1024, 0, 1);
        ranks[700].seconds[kForward] = 1.2;
        ranks[9].peakTotal = 5'000'000;
        std::vector<RankStats> told = ranksForJournal(ranks, Step{5}, false);
        QCOMPARE(toldOf(told), std::size_t(2)); // none is slow
        QVERIFY(told[700] == ranks[700] && told[9] == ranks[9]);
        for (const std::size_t slow : {3, 700, 701, 1000, 1001})
            ranks[slow].seconds[kForward] = 2 + double(slow) / 1000;
        told = ranksForJournal(ranks, Step{5}, false);
        QCOMPARE(toldOf(told), std::size_t(5));
        for (const std::size_t slow : {9, 700, 701, 1000, 1001})
            QVERIFY(told[slow] == ranks[slow]);
    }
};

QTEST_APPLESS_MAIN(TestJournalRanks)
#include "tst_journal_ranks.moc"
