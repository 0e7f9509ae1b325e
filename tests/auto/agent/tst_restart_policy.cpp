// Before Qt, whose macro "slots" would cut fields of that name.
#include "remote/agent/supervise/restart_policy.h"

#include <QTest>

using namespace trainyard;
using namespace trainyard::agent;
using std::chrono::milliseconds;

namespace {

RestartSpec spec(int limit, milliseconds backoff = milliseconds(5000))
{
    RestartSpec restart;
    restart.limit = limit;
    restart.backoff = backoff;
    return restart;
}

FailedAttempt lost(std::int64_t checkpoint = 0)
{
    return {FailureKind::Infrastructure, 7, true, checkpoint};
}

FailedAttempt outOfMemory(std::int64_t step, bool finishedAStep = true)
{
    return {FailureKind::OutOfMemory, step, finishedAStep, 0};
}

} // namespace

/// Whether a failed run goes on, and when.
class TestRestartPolicy : public QObject {
    Q_OBJECT

private slots:
    void waitsTwiceAsLongEachTimeUpToFiveMinutes()
    {
        RestartPolicy policy(spec(10), {});
        QStringList waits;
        for (int i = 0; i < 9; ++i)
            waits << QString::number(policy.after(lost()).delay.count() / 1000);
        QCOMPARE(waits.join(' '), QString("5 10 20 40 80 160 300 300 300"));
    }

    void endsWithItsLimit()
    {
        RestartPolicy policy(spec(2), {});
        QVERIFY(policy.after(lost()).restart);
        QCOMPARE(policy.left(), 1);
        QVERIFY(policy.after(lost()).restart);
        const auto third = policy.after(lost());
        QVERIFY(!third.restart);
        QCOMPARE(third.refusal, std::string("not restarted: 2 restarts produced no new checkpoint"));
    }

    void aNewCheckpointResetsTheCount()
    {
        RestartPolicy policy(spec(1), {});
        QVERIFY(policy.after(lost(10)).restart);
        QVERIFY(!policy.after(lost(10)).restart);
        QVERIFY(policy.after(lost(20)).restart);
        QCOMPARE(policy.count(), (RestartCount{1, 20}));
    }

    /// `latest` may also have named something that is not there.
    void aCheckpointOfARunThatWentBackIsNewToo()
    {
        RestartPolicy policy(spec(1), {1, 9999});
        QVERIFY(policy.after(lost(20)).restart);
        QVERIFY(!policy.after(lost(20)).restart);
        QVERIFY(!policy.after(lost(0)).restart);
    }

    void goesOnCountingWhereAnEarlierSupervisorEnded()
    {
        RestartPolicy policy(spec(3), {2, 40});
        const auto decision = policy.after(lost(40));
        QVERIFY(decision.restart);
        QCOMPARE(decision.delay, milliseconds(20'000));
        QVERIFY(!policy.after(lost(40)).restart);
    }

    void refusesWhatWouldComeAgain()
    {
        RestartPolicy policy(spec(5), {});
        const auto decision = policy.after({FailureKind::Work, 9, true, 0});
        QVERIFY(!decision.restart && decision.refusal.empty());
        QVERIFY(!RestartPolicy(spec(0), {}).after(lost()).restart);
    }

    void doesNotRunOutOfMemoryTwiceAtOnePlace()
    {
        QVERIFY(!RestartPolicy(spec(5), {}).after(outOfMemory(0, false)).restart);
        RestartPolicy policy(spec(5), {});
        QVERIFY(policy.after(outOfMemory(12)).restart);
        QVERIFY(policy.after(outOfMemory(30)).restart);
        const auto again = policy.after(outOfMemory(30));
        QVERIFY(!again.restart);
        QVERIFY(again.refusal.find("memory") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestRestartPolicy)
#include "tst_restart_policy.moc"
