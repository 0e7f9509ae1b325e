#include <optional>

#include <QElapsedTimer>
#include <QTest>

#include "tests/faults/followed_run.h"
#include "tests/faults/network_lab.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

/// Faults 6 to 10: the way between desk and host is there, and treats packets badly.
class TestPacketFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab.start();
    }
    void cleanupTestCase() { m_lab.stop(); }
    void cleanup() { m_lab.heal(); }

    void f06_packetLoss_data()
    {
        QTest::addColumn<double>("loss");
        QTest::addRow("1 %%") << 0.01;
        QTest::addRow("5 %%") << 0.05;
        QTest::addRow("20 %%") << 0.20;
    }
    void f06_packetLoss()
    {
        QFETCH(double, loss);
        const QString share = QString::number(loss * 100) + " %";
        FaultReport report(6, "packets lost: " + share, "slower, and correct");
        link::LinkConditions conditions;
        conditions.loss = loss;
        const qint64 before = framesThatWere("lost", host());
        QCOMPARE(host().setLink(conditions), QString());
        QElapsedTimer timer;
        timer.start();
        FollowedRun watch(host(), m_lab.options(), host().address());
        watch.start();
        const qint64 connected = timer.elapsed();
        AWAIT(watch.seen() >= 300 && framesThatWere("lost", host()) > before);
        watch.finish();
        const qint64 lost = framesThatWere("lost", host()) - before;
        report.injected(QString("%1 frames lost of those in both directions").arg(lost));
        report.observed(QString("first records after %1, all of %2 records")
                            .arg(seconds(connected))
                            .arg(watch.written()));
    }

    void f07_longRoundTrips_data()
    {
        QTest::addColumn<int>("roundTripMs");
        QTest::addRow("50 ms") << 50;
        QTest::addRow("200 ms") << 200;
        QTest::addRow("800 ms") << 800;
    }
    void f07_longRoundTrips()
    {
        QFETCH(int, roundTripMs);
        FaultReport report(7, QString("round trips of %1 ms with jitter").arg(roundTripMs),
                           "no link is called lost, even with a limit of 3 s");
        link::LinkConditions conditions;
        conditions.delay = 500us * roundTripMs;
        conditions.jitter = conditions.delay / 10;
        if (roundTripMs < 800) // then connecting takes 14 s
            QCOMPARE(host().setLink(conditions), QString());
        QElapsedTimer timer;
        timer.start();
        FollowedRun watch(host(), m_lab.quickOptions(), host().address());
        watch.start();
        const qint64 connected = timer.elapsed();
        QCOMPARE(host().setLink(conditions), QString());
        std::optional<qint64> answered;
        timer.restart();
        watch.target().call({{"op", "ping"}},
                            [&](const Result<QJsonObject>&) { answered = timer.elapsed(); });
        AWAIT(answered.has_value());
        QVERIFY2(*answered >= roundTripMs * 9 / 10, qPrintable(QString::number(*answered)));
        report.injected(QString("a request is answered after %1 ms").arg(*answered));
        QTest::qWait(4000);
        watch.finish();
        QCOMPARE(watch.lostCount(), 0);
        report.observed(QString("first records after %1; never lost").arg(seconds(connected)));
    }

    void f08_slowLink()
    {
        FaultReport report(8, "slow link, 1 Mbit/s", "a cancel during an upload is answered within 3 s");
        FollowedRun watch(host(), m_lab.options(), host().address());
        watch.start();
        link::LinkConditions conditions;
        conditions.rate = 125'000;
        conditions.queue = 50'000; // 0.4 s
        QCOMPARE(host().setLink(conditions), QString());
        const QByteArray chunk(256 * 1024, 'x');
        qint64 received = 0;
        bool over = false;
        Target::Handlers handlers;
        handlers.interim = [&](const QJsonObject& word) { received = word.value("received").toInteger(); };
        handlers.done = [&](const Result<QJsonObject>&) { over = true; };
        const auto upload =
            watch.target().call({{"op", "put"}, {"sha256", QString(64, 'a')}, {"size", 16 * chunk.size()}},
                                &watch.ledger(), std::move(handlers));
        for (int i = 0; i < 16; ++i) // 4 MiB: what an upload has under way; 33 s at this rate
            watch.target().sendChunk(upload, chunk);
        QElapsedTimer timer;
        timer.start();
        AWAIT(received > 0);
        QTest::qWait(1000);
        QVERIFY(!over);
        const double rate = double(received) / double(timer.elapsed()) * 1000;
        QVERIFY2(rate < 200'000, qPrintable(QString::number(rate)));
        const double restMs = double(16 * chunk.size() - received) / rate * 1000;
        report.injected(QString("%1 kB/s").arg(rate / 1000, 0, 'f', 0));
        timer.restart();
        watch.target().call({{"op", "cancel"}, {"target", qint64(upload)}}, Target::Reply());
        AWAIT(over);
        const qint64 ended = timer.elapsed();
        report.observed("the upload ended " + seconds(ended) + " after the cancel");
        QVERIFY2(double(ended) < restMs / 4, qPrintable(QString("%1 of %2 ms").arg(ended).arg(restMs)));
        host().setLink({});
        watch.finish();
    }

    void f09_corruptedBytes()
    {
        FaultReport report(9, "bytes corrupted on the wire",
                           "the connection ends and is made again; no wrong byte gets through");
        FollowedRun watch(host(), m_lab.options(), host().address());
        watch.start();
        link::LinkConditions conditions;
        conditions.corruption = 0.01;
        const qint64 before = framesThatWere("corrupted", host());
        QCOMPARE(host().setLink(conditions), QString());
        AWAIT(watch.lostCount() >= 2 && framesThatWere("corrupted", host()) - before >= 3);
        host().setLink({});
        const qint64 corrupted = framesThatWere("corrupted", host()) - before;
        report.injected(QString("one bit flipped in %1 frames, checksums right").arg(corrupted));
        watch.awaitNewRecords();
        watch.finish();
        report.observed(
            QString("%1 connections ended; the mirror equals the journal").arg(watch.lostCount()));
    }

    void f10_reorderedAndDuplicated()
    {
        FaultReport report(10, "packets reordered and duplicated", "no effect");
        link::LinkConditions conditions;
        conditions.reordering = 0.2;
        conditions.duplication = 0.2;
        const qint64 before = framesThatWere("reordered", host()),
                     twice = framesThatWere("duplicated", host());
        QCOMPARE(host().setLink(conditions), QString());
        FollowedRun watch(host(), m_lab.options(), host().address());
        watch.start();
        qint64 reordered = 0, duplicated = 0;
        const auto hasMet = [&] {
            reordered = framesThatWere("reordered", host()) - before;
            duplicated = framesThatWere("duplicated", host()) - twice;
            return reordered > 20 && duplicated > 20;
        };
        AWAIT(watch.seen() >= 500 && hasMet());
        watch.finish();
        report.injected(QString("%1 frames held back, %2 sent twice").arg(reordered).arg(duplicated));
        QCOMPARE(watch.lostCount(), 0);
        report.observed(QString("%1 records, never lost").arg(watch.written()));
    }

private:
    lab::LabHost& host() { return m_lab.host(); }

    NetworkLab m_lab;
};

QTEST_GUILESS_MAIN(TestPacketFaults)
#include "tst_packet_faults.moc"
