#include <QRegularExpression>
#include <QTest>

#include "tests/device/stand_in/stand_in_job.h"

using namespace trainyard;

namespace {

constexpr int kUnreachable = 4; // as documented: the run may continue without what was lost
// Of a collective. Ranks meet before it runs for the first time.
constexpr int kLimitSeconds = 5;    // where it is what ends them
constexpr int kPatientSeconds = 15; // where it ends those that another one's end leaves alone
const char* const kFault = "TRAINYARD_STAND_IN_FAULT";

} // namespace

/// What becomes of the other ranks when one is lost, and of a rank whose device or network is. Each ends with
/// the status that lets the run continue from its checkpoint, and says what it was in.
class TestStandInFaults : public QObject {
    Q_OBJECT

private slots:
    void othersOutliveALostRankWithAVerdict_data()
    {
        QTest::addColumn<QString>("fault");
        QTest::addColumn<QString>("others"); // what goes wrong there, too
        QTest::addColumn<QString>("says");
        const QString inCollective = "all-reduce \\d+ of group 0";
        QTest::newRow("it dies before its groups are made") << "die@init"
                                                            << ""
                                                            << "group 0";
        QTest::newRow("it dies while ranks connect") << "die@connect"
                                                     << ""
                                                     << "group 0";
        QTest::newRow("it dies between two steps") << "die@call:10"
                                                   << "" << inCollective;
        QTest::newRow("it hangs between two steps") << "stick@call:10"
                                                    << "" << inCollective;
        QTest::newRow("it dies, and aborting hangs, too") << "die@call:10"
                                                          << "stick@abort" << inCollective;
    }
    void othersOutliveALostRankWithAVerdict()
    {
        QFETCH(const QString, fault);
        QFETCH(const QString, others);
        QFETCH(const QString, says);
        StandInJob job("rounds", 3);
        job.limit(kLimitSeconds)
            .withRank(0, kFault, others)
            .withRank(1, kFault, fault)
            .withRank(2, kFault, others);
        job.run(1);
        for (const int rank : {0, 2}) {
            QVERIFY2(job.status(rank) == kUnreachable, qPrintable(verdict(job, rank)));
            QVERIFY2(QRegularExpression("error: .*" + says).match(job.log(rank)).hasMatch(),
                     qPrintable(verdict(job, rank)));
        }
    }

    // The training thread and the watchdog both learn of it, whoever is first.
    void anErrorOfTheNetworkIsAVerdict()
    {
        StandInJob job("rounds", 2);
        job.with("TRAINYARD_STAND_IN_PEER_LOSS", "error").withRank(1, kFault, "die@call:10");
        job.run(1);
        QVERIFY2(job.status(0) == kUnreachable, qPrintable(verdict(job, 0)));
        QVERIFY2(job.log(0).contains(QRegularExpression("error: .*remote process exited")),
                 qPrintable(verdict(job, 0)));
    }

    void aRankThatNcclFailsEndsAndItsPeersFollow()
    {
        StandInJob job("rounds", 2);
        job.limit(kPatientSeconds).withRank(1, kFault, "error@call:10").run();
        for (const int rank : {0, 1})
            QVERIFY2(job.status(rank) == kUnreachable, qPrintable(verdict(job, rank)));
    }

    void aLostDeviceIsAVerdict()
    {
        StandInJob job("rounds", 2);
        job.limit(kPatientSeconds).withRank(1, kFault, "lost@event:40").run();
        for (const int rank : {0, 1})
            QVERIFY2(job.status(rank) == kUnreachable, qPrintable(verdict(job, rank)));
        QVERIFY2(job.log(1).contains(QRegularExpression("error: .*ECC")), qPrintable(verdict(job, 1)));
    }

    // Two ranks that disagree would compute nonsense or wait for ever.
    void collectivesInAnotherOrderAreAVerdict()
    {
        StandInJob job("disorder", 2);
        job.run();
        QVERIFY(job.findings().contains("collective 1 differs"));
        for (const int rank : {0, 1})
            QVERIFY2(job.status(rank) == kUnreachable, qPrintable(verdict(job, rank)));
    }

    void aMessageThatNobodyReceivesIsFound()
    {
        StandInJob job("unheard", 2);
        job.run();
        QVERIFY2(job.findings().contains("rank 1 has destroyed the communicator"),
                 qPrintable(verdict(job, 0)));
    }

private:
    static QString verdict(const StandInJob& job, int rank)
    {
        return QString("rank %1: status %2\n%3\n%4")
            .arg(rank)
            .arg(job.status(rank))
            .arg(job.log(rank), job.findings());
    }
};

QTEST_GUILESS_MAIN(TestStandInFaults)
#include "tst_stand_in_faults.moc"
