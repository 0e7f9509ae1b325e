#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include "engine/comm/flight_recorder.h"
#include "remote/agent/supervise/stall.h"

using namespace trainyard;
using namespace trainyard::agent;
using namespace std::chrono_literals;

/// What the head says of a run that stands still, from the rings that it can read.
class TestStall : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(QDir(m_dir->path()).mkpath("ranks"));
    }

    void namesTheRankThatStandsElsewhere()
    {
        const auto waiting = ringOf(0, 2);
        waiting->enter(0, 1, CollectiveKind::AllReduce, 64);
        const auto standing = ringOf(1, 2);
        standing->setActivity(Activity::Forward);
        const std::string text = stalled(2);
        QVERIFY2(text.starts_with("rank 1 did not enter all-reduce 1"), text.c_str());
        QVERIFY2(text.find("last seen in forward") != std::string::npos, text.c_str());
        QCOMPARE(openCollective(folder(), work(2), kAttempt), text);
    }

    /// The rings of the other hosts' ranks lie on the other hosts.
    void blamesNoRankOfAHostWithItsOwnDisk()
    {
        const auto waiting = ringOf(0, 4);
        waiting->enter(0, 1, CollectiveKind::AllReduce, 64);
        for (const std::string& text : {stalled(4), openCollective(folder(), work(4), kAttempt)}) {
            QVERIFY2(text.starts_with("rank 0 waits in all-reduce 1"), text.c_str());
            QVERIFY2(text.ends_with("ranks 1-3: not visible from here"), text.c_str());
        }
    }

    void leavesOutRingsOfEarlierAttempts()
    {
        const auto old = FlightRecorder::create(folder().rankRing(1), {Rank{1}, WorldSize{4}, kAttempt - 1});
        QVERIFY(old.ok());
        const auto waiting = ringOf(0, 4);
        waiting->enter(0, 1, CollectiveKind::AllReduce, 64);
        QVERIFY(stalled(4).ends_with("ranks 1-3: not visible from here"));
    }

private:
    static constexpr std::uint32_t kAttempt = 2;

    RunFolder folder() const { return RunFolder(m_dir->path().toStdString()); }
    static RunWork work(int ranks)
    {
        RunWork work;
        work.ranks = ranks;
        return work;
    }
    std::unique_ptr<FlightRecorder> ringOf(int rank, int ranks) const
    {
        return FlightRecorder::create(folder().rankRing(rank), {Rank{rank}, WorldSize{ranks}, kAttempt})
            .value();
    }
    std::string stalled(int ranks) const { return stallText(folder(), work(ranks), kAttempt, 40s, 1s); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestStall)
#include "tst_stall.moc"
