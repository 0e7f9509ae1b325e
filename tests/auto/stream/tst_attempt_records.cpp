#include <QTest>

#include "remote/stream/attempt_records.h"

using namespace trainyard;

namespace {

Record record(std::uint32_t attempt, std::int64_t second, const char* message)
{
    EventRecord event;
    event.message = message;
    Record record;
    record.attempt = attempt;
    record.time.wallNs = second * 1'000'000'000;
    record.payload = event;
    return record;
}

QString print(const std::vector<Record>& records)
{
    QStringList words;
    for (const Record& record : records)
        words << QString::fromStdString(std::get<EventRecord>(record.payload).message);
    return words.join(' ');
}

} // namespace

class TestAttemptRecords : public QObject {
    Q_OBJECT

private slots:
    void ordersStreamsByTime()
    {
        AttemptRecords records(1);
        records.add("steps", {record(1, 2, "step1"), record(1, 4, "step2")});
        records.add("run", {record(1, 1, "starting"), record(1, 3, "warning"), record(1, 5, "finished")});
        QCOMPARE(print(records.take()), "starting step1 warning step2 finished");
        QCOMPARE(print(records.take()), "");
    }

    void keepsTheOrderOfAStreamWhereTimesAreEqual()
    {
        AttemptRecords records(1);
        records.add("run", {record(1, 1, "a"), record(1, 1, "b"), record(1, 1, "c")});
        QCOMPARE(print(records.take()), "a b c");
    }

    void keepsTheOrderOfAStreamWhenItsClockIsSetBack()
    {
        AttemptRecords records(1);
        records.add("steps", {record(1, 5000, "step1"), record(1, 5001, "step2")});
        records.add("steps", {record(1, 1402, "step3"), record(1, 1403, "step4")}); // an hour back
        records.add("run", {record(1, 4999, "starting"), record(1, 1404, "finished")});
        QCOMPARE(print(records.take()), "starting finished step1 step2 step3 step4");
        records.add("steps", {record(1, 1405, "step5")});
        QCOMPARE(print(records.take()), "step5");
    }

    void leavesOutWhatEarlierAttemptsWrote()
    {
        AttemptRecords known(2); // as after a resume of ours
        known.add("run", {record(1, 1, "old")});
        QCOMPARE(print(known.take()), "");
        known.add("run", {record(2, 2, "new")});
        QCOMPARE(print(known.take()), "new");

        AttemptRecords found(1); // as after another desk's resume
        found.add("run", {record(1, 1, "old"), record(3, 9, "new")});
        found.add("run", {record(2, 5, "older")});
        QCOMPARE(print(found.take()), "new");
        QCOMPARE(found.attempt(), std::uint32_t{3});
    }
};

QTEST_APPLESS_MAIN(TestAttemptRecords)
#include "tst_attempt_records.moc"
