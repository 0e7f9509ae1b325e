#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QTest>

#include "app/monitor/model/recorded_trace.h"
#include "app/monitor/model/trace_recorder.h"
#include "engine/base/file.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kAhead = 7'000'000'000; ///< the clock of rank 1's node

/// A rank's ring in `step`: since step 1 an all-reduce of all ranks and two overlapping ones of group 4 in
/// each; the newest `kept` of them.
FlightSnapshot ringAt(int rank, std::int64_t step, std::size_t kept = 100)
{
    FlightSnapshot ring;
    ring.rank = rank;
    ring.step = step;
    ring.groups = {{4, {0, 1}}};
    const std::int64_t clock = rank * kAhead;
    for (std::int64_t at = 1; at < step; ++at) {
        const std::int64_t begin = clock + at * 100 * kMs;
        const auto number = std::uint64_t(at);
        ring.entries.push_back(
            {2 * number - 1, 4, CollectiveKind::ReduceScatter, 64, begin + 10 * kMs, begin + 30 * kMs, at});
        ring.entries.push_back(
            {2 * number, 4, CollectiveKind::Message, 64, begin + 20 * kMs, begin + 40 * kMs, at});
        // Rank 1 comes later, both leave together.
        ring.entries.push_back({number, 0, CollectiveKind::AllReduce, 1 << 20, begin + (50 + 20 * rank) * kMs,
                                begin + 80 * kMs, at});
    }
    for (std::int64_t at = 1; at < step; ++at) {
        const std::int64_t begin = clock + at * 100 * kMs;
        const auto number = std::uint64_t(3 * at);
        ring.passes.push_back({number - 2, TracedWork::Forward, 0, 0, begin, begin + 10 * kMs, at});
        ring.passes.push_back(
            {number - 1, TracedWork::Backward, 0, 0, begin + 10 * kMs, begin + 45 * kMs, at});
        ring.passes.push_back(
            {number, TracedWork::Optimizer, -1, -1, begin + 50 * kMs, begin + 90 * kMs, at});
    }
    if (ring.entries.size() > kept)
        ring.entries.erase(ring.entries.begin(), ring.entries.end() - std::ptrdiff_t(kept));
    return ring;
}

QList<QJsonObject> eventsOf(const QByteArray& json, const QString& phase, const QString& name = {})
{
    QList<QJsonObject> events;
    for (const auto& value : QJsonDocument::fromJson(json).object().value("traceEvents").toArray()) {
        const QJsonObject event = value.toObject();
        if (event["ph"].toString() == phase && (name.isEmpty() || event["name"].toString().startsWith(name)))
            events.append(event);
    }
    return events;
}

QJsonValue argument(const QJsonObject& event, const QString& name)
{
    return event.value("args").toObject().value(name);
}

} // namespace

class TestCollectiveTrace : public QObject {
    Q_OBJECT

private slots:
    void beginsWithTheStepAfterAllRanksWereSeen()
    {
        CollectiveTrace trace(2, 2);
        trace.add(ringAt(0, 5));
        QCOMPARE(trace.firstStep(), 0);
        trace.add(ringAt(1, 6));
        QCOMPARE(trace.firstStep(), 7);
        trace.add(ringAt(0, 9));
        QVERIFY(!trace.isComplete()); // rank 1 is not there yet
        trace.add(ringAt(1, 8));
        QCOMPARE(trace.stepsDone(), 1);
        trace.add(ringAt(1, 9));
        QVERIFY(trace.isComplete());
        QCOMPARE(trace.size(), std::size_t(2 * 2 * 3));
        QCOMPARE(trace.overwritten(), std::uint64_t(0));
    }

    void bringsClocksTogether()
    {
        const QList<QJsonObject> reduces = eventsOf(recorded(), "X", "all-reduce");
        QCOMPARE(reduces.size(), 4);
        const auto end = [](const QJsonObject& event) {
            return event["ts"].toDouble() + event["dur"].toDouble();
        };
        // Of rank 0, then of rank 1, in microseconds.
        QCOMPARE(reduces[0]["ts"].toDouble(), 350'000.0);
        QCOMPARE(reduces[2]["ts"].toDouble(), 370'000.0);
        QCOMPARE(end(reduces[2]), end(reduces[0]));
        QCOMPARE(reduces[0]["name"].toString(), QString("all-reduce 1.00 MiB"));
        QCOMPARE(argument(reduces[0], "step").toInt(), 3);
    }

    void givesWhatIsUnderWayAtOnceTracksOfItsOwn()
    {
        const QByteArray json = recorded();
        QMap<int, double> busyUntil;
        for (const QJsonObject& event : eventsOf(json, "X")) {
            if (event["pid"].toInt() != 0 || event["tid"].toInt() == 0)
                continue;
            QVERIFY(event["ts"].toDouble() >= busyUntil.value(event["tid"].toInt()));
            busyUntil[event["tid"].toInt()] = event["ts"].toDouble() + event["dur"].toDouble();
        }
        QCOMPARE(busyUntil.size(), 3);
        QStringList names;
        for (const QJsonObject& event : eventsOf(json, "M", "thread_name")) {
            if (event["pid"].toInt() == 0)
                names.append(argument(event, "name").toString());
        }
        QCOMPARE(names, QStringList({"passes", "ranks 0, 1", "ranks 0, 1", "all ranks"}));
        QCOMPARE(eventsOf(json, "X", "message").first().value("cat").toString(), QString("point to point"));
        QCOMPARE(argument(eventsOf(json, "M", "process_name").last(), "name").toString(),
                 QString("rank 1 on b"));
    }

    void passesLieWithinTheirStep()
    {
        const QByteArray json = recorded();
        const QList<QJsonObject> steps = eventsOf(json, "X", "step");
        QCOMPARE(steps.size(), 4); // two of each rank
        QCOMPARE(steps[0]["ts"].toDouble(), 300'000.0);
        QCOMPARE(steps[0]["dur"].toDouble(), 90'000.0);
        QCOMPARE(steps[2]["ts"].toDouble(), 300'000.0); // by the clock of rank 0
        const QList<QJsonObject> forward = eventsOf(json, "X", "forward 0");
        QCOMPARE(forward.size(), 4);
        QCOMPARE(forward[0]["tid"].toInt(), steps[0]["tid"].toInt());
        QCOMPARE(argument(forward[0], "micro_batch").toInt(), 0);
        QVERIFY(argument(eventsOf(json, "X", "optimizer").first(), "micro_batch").isUndefined());
    }

    void isReadAgain()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("trace.json");
        QVERIFY(writeFileAtomically(file.toStdString(), recorded().toStdString()).ok());
        const RecordedTrace trace = readRecordedTrace(file).value();
        QCOMPARE(trace.ranks, (QStringList{"rank 0 on a", "rank 1 on b"}));
        QCOMPARE(trace.steps.size(), std::size_t(2));
        const PipelineTrace& step = trace.steps.at(3);
        QCOMPARE(step.ranks.size(), std::size_t(2));
        QCOMPARE(step.ranks[1].size(), std::size_t(3));
        QCOMPARE(step.ranks[1][1].work, TracedWork::Backward);
        QCOMPARE(step.ranks[1][1].microBatch, 0);
        QVERIFY(std::abs(step.ranks[1][1].start - 0.010) < 1e-9);
        QVERIFY(std::abs(step.ranks[1][1].end - 0.045) < 1e-9);
        QCOMPARE(step.ranks[0].front().start, 0.0);
    }

    void whatIsNoTraceOfOursIsNamed_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QString>("reason");
        QTest::addRow("empty") << QByteArray() << "not a trace";
        QTest::addRow("cut") << recorded().chopped(9) << "not a trace";
        QTest::addRow("a list") << QByteArray("[1, 2]") << "no list \"traceEvents\"";
        QTest::addRow("another program's")
            << QByteArray(
                   R"({"traceEvents": [{"ph": "X", "name": "aten::mm", "pid": 1, "ts": 1, "dur": 2}]})")
            << "no step with passes of every rank";
        QTest::addRow("a rank that cannot be")
            << recorded().replace("\"pid\":1", "\"pid\":99999999") << "one of its passes is damaged";
        QTest::addRow("a pass of no kind")
            << recorded().replace("\"work\":\"forward\"", "\"work\":\"sideways\"")
            << "one of its passes is damaged";
    }
    void whatIsNoTraceOfOursIsNamed()
    {
        QFETCH(QByteArray, content);
        QFETCH(QString, reason);
        const QTemporaryDir folder;
        const QString file = folder.filePath("trace.json");
        QVERIFY(writeFileAtomically(file.toStdString(), content.toStdString()).ok());
        const auto trace = readRecordedTrace(file);
        QVERIFY(!trace.ok());
        QCOMPARE(trace.error().kind, ErrorKind::BadInput);
        const QString text = QString::fromStdString(trace.error().text());
        QVERIFY2(text.startsWith(file) && text.contains(reason), qPrintable(text));
    }

    void countsWhatWasOverwritten()
    {
        CollectiveTrace trace(1, 2);
        trace.add(ringAt(0, 2));
        trace.add(ringAt(0, 5, 4));
        // The all-reduces of steps 3 and 4 are here and group 4's two of step 4; those of step 2 and group
        // 4's of step 3 are gone.
        QCOMPARE(trace.size(), std::size_t(4));
        QCOMPARE(trace.overwritten(), std::uint64_t(5));
    }

    void recordsUntilTheStepsAreDone()
    {
        std::int64_t step = 3;
        TraceRecorder recording(
            [&](int rank, const QObject*, auto done) { done(ringAt(rank, rank == 0 ? step++ : step)); }, 2,
            3);
        QList<Status> ends;
        connect(&recording, &TraceRecorder::finished, this,
                [&](const Status& status) { ends.append(status); });
        recording.start();
        AWAIT_EQUAL(ends.size(), 1);
        QVERIFY(ends.first().ok());
        QVERIFY(recording.trace().isComplete());
    }

    void saysWhyThereIsNoTrace_data()
    {
        QTest::addColumn<Activity>("activity");
        QTest::addColumn<bool>("isThere");
        QTest::addColumn<QString>("reason");
        QTest::addRow("over") << Activity::Done << true << "the run ended";
        QTest::addRow("failed") << Activity::Failed << true << "the run ended";
        QTest::addRow("no ring") << Activity::Forward << false << "gpu-01: no link";
    }
    void saysWhyThereIsNoTrace()
    {
        QFETCH(Activity, activity);
        QFETCH(bool, isThere);
        QFETCH(QString, reason);
        TraceRecorder recording(
            [&](int rank, const QObject*, auto done) {
                FlightSnapshot ring = ringAt(rank, 4);
                ring.activity = activity;
                done(isThere ? Result<FlightSnapshot>(ring) : unreachable("gpu-01: no link"));
            },
            2, 3);
        QList<Status> ends;
        connect(&recording, &TraceRecorder::finished, this,
                [&](const Status& status) { ends.append(status); });
        recording.start();
        QCOMPARE(ends.size(), 1);
        QVERIFY(QString::fromStdString(ends.first().error().text()).startsWith(reason));
    }

private:
    /// Steps 3 and 4 of two ranks on hosts a and b.
    static QByteArray recorded()
    {
        CollectiveTrace trace(2, 2);
        for (const std::int64_t step : {2, 5}) {
            trace.add(ringAt(0, step));
            trace.add(ringAt(1, step));
        }
        return trace.toChromeTrace({"a", "b"});
    }
};

QTEST_GUILESS_MAIN(TestCollectiveTrace)
#include "tst_collective_trace.moc"
