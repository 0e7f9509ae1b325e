#include <QJsonArray>
#include <QTest>

#include "remote/launch/host_stop.h"

using namespace trainyard;

namespace {

Result<QJsonObject> answer(bool clean, int killed)
{
    return QJsonObject{{"clean", clean}, {"killed", killed}};
}

} // namespace

/// What is made of the hosts' answers to a stop.
class TestHostStop : public QObject {
    Q_OBJECT

private slots:
    void isFineWhenEveryHostIsClean()
    {
        const std::vector<HostStop> stops{hostStop("gpu-1", {answer(true, 0), answer(true, 0)}),
                                          hostStop("gpu-2", {answer(true, 0)})};
        QVERIFY(allClean(stops).ok());
        QVERIFY(killedWords(stops).isEmpty());
    }

    void countsWhatHadToBeKilledOnEachHost()
    {
        const std::vector<HostStop> stops{hostStop("gpu-1", {answer(false, 2), answer(true, 1)}),
                                          hostStop("gpu-2", {answer(true, 0)}),
                                          hostStop("gpu-3", {answer(true, 1)})};
        QVERIFY(allClean(stops).ok());
        QCOMPARE(killedWords(stops),
                 QStringList({"gpu-1: 3 processes had to be killed", "gpu-3: 1 process had to be killed"}));
    }

    void namesEveryHostThatIsNotClean()
    {
        const std::vector<HostStop> stops{
            hostStop("gpu-1", {answer(true, 0), answer(true, 0)}), hostStop("gpu-2", {answer(false, 0)}),
            hostStop("gpu-3", {unreachable("gpu-3: no response for 15 s", "it is tried again")})};
        const Status status = allClean(stops);
        QCOMPARE(status.error().kind, ErrorKind::Failed);
        QCOMPARE(status.error().message, std::string("2 of 3 hosts: gpu-2: processes of the run remain; "
                                                     "gpu-3: no response for 15 s"));
        QVERIFY(status.error().hint.find("stop it again without a grace period") != std::string::npos);
        QVERIFY(status.error().hint.find("stop the run again when the host is reachable") !=
                std::string::npos);
        QVERIFY(status.error().hint.find("it is tried again") == std::string::npos);
    }

    void believesTheLastAnswer()
    {
        QVERIFY(allClean({hostStop("gpu-1", {answer(false, 0), answer(true, 0)})}).ok());
        QVERIFY(!allClean({hostStop("gpu-1", {answer(true, 0), answer(false, 0)})}).ok());
        QVERIFY(!allClean({hostStop("gpu-1", {answer(true, 0), failed("no folder")})}).ok());
    }

    void namesNodesThatSlurmHasLost()
    {
        const Result<QJsonObject> lost =
            QJsonObject{{"clean", false}, {"killed", 0}, {"unreachable", QJsonArray{"node3", "node4"}}};
        const Status status = allClean({hostStop("login", {lost, lost})});
        QCOMPARE(status.error().kind, ErrorKind::Unreachable);
        QCOMPARE(status.error().message, std::string("Slurm has lost node3, node4"));
    }

    void doesNotTakeAnOddAnswerForClean()
    {
        QVERIFY(!allClean({hostStop("gpu-1", {QJsonObject()})}).ok());
        QVERIFY(!allClean({hostStop("gpu-1", {QJsonObject{{"clean", "yes"}}})}).ok());
    }
};

QTEST_GUILESS_MAIN(TestHostStop)
#include "tst_host_stop.moc"
