#include "engine/base/file.h"
#include "remote/agent/supervise/host_pauses.h"
#include "remote/agent/supervise/world_growth.h"

#include <QTemporaryDir>
#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Action = WorldGrowth::Action;

namespace {

constexpr seconds kInterval{30};
const WorldGrowth::TimePoint kStart{}; // any

} // namespace

/// When a smaller world takes hosts in again, and which ones it leaves alone.
class TestWorldGrowth : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_place = std::make_unique<QTemporaryDir>();
        QVERIFY(makeFolder(folder().path() / "checkpoints").ok());
    }

    void asksForACheckpointBeforeItMakesRoom()
    {
        publish(200);
        WorldGrowth growth(folder(), kStart, kInterval);
        QCOMPARE(growth.next(kStart), Action::None);
        QCOMPARE(growth.next(kStart + kInterval), Action::LookForHosts);
        QCOMPARE(growth.next(kStart + kInterval), Action::None); // until it is told
        growth.hostsFound();
        QCOMPARE(growth.next(kStart + kInterval), Action::AskForCheckpoint);
        QCOMPARE(growth.next(kStart + 2 * kInterval), Action::None); // the one of step 200 is older
        publish(231);
        QCOMPARE(growth.next(kStart + 2 * kInterval), Action::EndAttempt);
        QCOMPARE(growth.next(kStart + hours(2)), Action::None);
    }

    void growsBeforeTheFirstCheckpointToo()
    {
        WorldGrowth growth(folder(), kStart, kInterval);
        QCOMPARE(growth.next(kStart + kInterval), Action::LookForHosts);
        growth.hostsFound();
        QCOMPARE(growth.next(kStart + kInterval), Action::AskForCheckpoint);
        publish(1);
        QCOMPARE(growth.next(kStart + kInterval), Action::EndAttempt);
    }

    void looksAgainWhenTheCheckpointTookLong()
    {
        WorldGrowth growth = asked();
        publish(231);
        const auto late = kStart + kInterval + kInterval + seconds(1);
        QCOMPARE(growth.next(late), Action::LookForHosts);
        QCOMPARE(growth.next(late), Action::None);
        growth.hostsFound();
        QCOMPARE(growth.next(late), Action::EndAttempt);
        QCOMPARE(growth.next(late), Action::None);
    }

    void waitsWhenTheHostsHaveGoneAgainMeanwhile()
    {
        WorldGrowth growth = asked();
        publish(231);
        const auto late = kStart + 3 * kInterval;
        QCOMPARE(growth.next(late), Action::LookForHosts);
        growth.nobodyFound(late);
        QCOMPARE(growth.next(late), Action::None);
        QCOMPARE(growth.next(late + kInterval), Action::LookForHosts);
        growth.hostsFound();
        QCOMPARE(growth.next(late + kInterval), Action::AskForCheckpoint);
    }

    void asksAgainForACheckpointThatDoesNotCome()
    {
        WorldGrowth growth = asked();
        const auto late = kStart + 4 * kInterval;
        QCOMPARE(growth.next(late - seconds(1)), Action::None);
        QCOMPARE(growth.next(late), Action::LookForHosts);
        growth.hostsFound();
        QCOMPARE(growth.next(late), Action::AskForCheckpoint);
        publish(1);
        QCOMPARE(growth.next(late), Action::EndAttempt);
    }

    void looksAgainAfterTheInterval()
    {
        WorldGrowth growth(folder(), kStart, kInterval);
        QCOMPARE(growth.next(kStart + kInterval), Action::LookForHosts);
        growth.nobodyFound(kStart + kInterval + seconds(15));
        QCOMPARE(growth.next(kStart + kInterval + seconds(44)), Action::None);
        QCOMPARE(growth.next(kStart + kInterval + seconds(45)), Action::LookForHosts);
    }

    void leavesAHostAloneTwiceAsLongEachTime()
    {
        HostPauses pauses(kInterval);
        QVERIFY(!pauses.isPaused("b", kStart));
        pauses.pause({"b"}, kStart);
        QVERIFY(pauses.isPaused("b", kStart + seconds(59)));
        QVERIFY(!pauses.isPaused("b", kStart + seconds(60)));
        QVERIFY(!pauses.isPaused("a", kStart));
        QStringList lengths;
        for (int i = 0; i < 7; ++i) {
            pauses.pause({"b"}, kStart);
            lengths << QString::number(pauses.lengthOf("b") / seconds(1));
        }
        QCOMPARE(lengths.join(' '), QString("120 240 480 960 1920 3600 3600"));
    }

    void forgetsAPauseWhenTheHostHoldsOut()
    {
        HostPauses pauses(kInterval);
        pauses.pause({"b", "c"}, kStart);
        pauses.succeeded({"b"});
        QVERIFY(!pauses.isPaused("b", kStart));
        QVERIFY(pauses.isPaused("c", kStart));
        pauses.pause({"b"}, kStart);
        QCOMPARE(pauses.lengthOf("b"), milliseconds(2 * kInterval));
    }

private:
    /// One that waits for the checkpoint that it asked for when an interval had passed.
    WorldGrowth asked() const
    {
        WorldGrowth growth(folder(), kStart, kInterval);
        (void)growth.next(kStart + kInterval);
        growth.hostsFound();
        (void)growth.next(kStart + kInterval);
        return growth;
    }

    RunFolder folder() const { return {m_place->path().toStdString(), "r"}; }
    void publish(int step) const
    {
        const std::string name = QString("step-%1\n").arg(step, 9, 10, QChar('0')).toStdString();
        QVERIFY(writeFileAtomically(folder().path() / "checkpoints" / "latest", name).ok());
    }

    std::unique_ptr<QTemporaryDir> m_place;
};

QTEST_APPLESS_MAIN(TestWorldGrowth)
#include "tst_world_growth.moc"
