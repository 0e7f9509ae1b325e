#include <QTest>

#include "remote/deploy/deploy_progress.h"
#include "remote/target/joined_errors.h"

using namespace trainyard;
using namespace std::chrono_literals;

class TestDeployProgress : public QObject {
    Q_OBJECT

private slots:
    void rateIsThatOfTheLastSeconds()
    {
        TransferRate rate;
        QCOMPARE(rate.bytesPerSecond(), 0.0);
        rate.add(0ms, 0);
        rate.add(100ms, 1'000'000);
        QCOMPARE(rate.bytesPerSecond(), 0.0); // a tenth of a second tells nothing
        for (int second = 1; second <= 20; ++second)
            rate.add(second * 1000ms, second * 10'000'000);
        QCOMPARE(rate.bytesPerSecond(), 10'000'000.0);
        for (int second = 21; second <= 40; ++second)
            rate.add(second * 1000ms, 200'000'000 + (second - 20) * 1'000'000);
        QCOMPARE(rate.bytesPerSecond(), 1'000'000.0);
    }

    void aPauseLowersTheRate()
    {
        TransferRate rate;
        for (int second = 0; second <= 10; ++second)
            rate.add(second * 1000ms, second * 1000);
        rate.add(15'000ms, 10'000);
        QVERIFY(rate.bytesPerSecond() < 500);
    }

    void saysHowFarItIs()
    {
        DeployProgress progress{1288490189, 3650722202, 16, 5, 0, 117440512.0};
        QCOMPARE(
            progress.text(),
            QString("uploading the engine: 1.20 GiB of 3.40 GiB, 5 of 16 hosts done, 112 MiB/s, 21.0 s left"));
        QVERIFY(qAbs(progress.fraction() - 0.3529) < 1e-3);
        progress.hostsFailed = 2;
        QVERIFY(progress.text().contains("2 failed"));
    }

    void saysWhatItIsGoingToSend()
    {
        QCOMPARE((DeployPlan{492830720, 2, 41943040.0}.text()),
                 QString("uploading 470 MiB of the engine to 2 hosts, about 12.0 s at 40.0 MiB/s"));
        const DeployPlan unmeasured{750'000'000, 1, 0}; // 60 s at 100 Mbit/s
        QCOMPARE(unmeasured.time(), 60s);
        QVERIFY2(unmeasured.text().contains("to one host") && unmeasured.text().contains("at an assumed"),
                 qPrintable(unmeasured.text()));
    }

    void claimsNothingThatIsNotKnown()
    {
        const DeployProgress progress{0, 0, 1, 0, 0, 0};
        QVERIFY(!progress.timeLeft());
        QVERIFY(progress.fraction() < 0);
        QVERIFY(!progress.text().contains("left") && !progress.text().contains("/s"));
    }

    void namesEveryHostThatFailed()
    {
        const Error disk = refused("b: the disk is full", "make room"), away = unreachable("a: no route");
        QVERIFY(joinedErrors({}, 3).ok());
        QCOMPARE(joinedErrors({disk}, 3).error().message, disk.message);
        const Error both = joinedErrors({away, disk, disk}, 3).error();
        QCOMPARE(both.message, std::string("3 of 3 hosts: a: no route; b: the disk is full"));
        QCOMPARE(both.hint, std::string("make room"));
        QVERIFY(both.kind == ErrorKind::Unreachable);
    }

    void aCancelledHostHidesNoFailure()
    {
        const Error failure = joinedErrors({cancelled("a was cancelled"), refused("b is full")}, 2).error();
        QVERIFY(failure.kind == ErrorKind::Refused);
        const Error all =
            joinedErrors({cancelled("a was cancelled"), cancelled("b was cancelled")}, 2).error();
        QVERIFY(all.kind == ErrorKind::Cancelled);
    }
};

QTEST_GUILESS_MAIN(TestDeployProgress)
#include "tst_deploy_progress.moc"
