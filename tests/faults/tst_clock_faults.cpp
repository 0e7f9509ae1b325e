#include <QFile>
#include <QJsonDocument>
#include <QTemporaryDir>
#include <QTest>

#include "app/runs/run_series.h"
#include "engine/base/wall_clock_watch.h"
#include "remote/stream/attempt_records.h"
#include "tests/auto/agent/agent_client.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/journal/fed_run.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::support;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kHourNs = 3'600'000'000'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

/// The system's clocks, the wall clock set by hand.
class SetClock final : public Clock {
public:
    Instant now() const override
    {
        Instant now = systemClock().now();
        now.wallNs += m_setByNs;
        return now;
    }
    void setBy(std::int64_t ns) { m_setByNs = ns; }

private:
    std::int64_t m_setByNs = 0;
};

/// Whether each stream's records come in the order of their sequence.
bool isInOrder(const std::vector<Record>& records)
{
    std::int64_t step = 0;
    for (const Record& record : records) {
        const auto* payload = std::get_if<StepRecord>(&record.payload);
        if (payload && payload->step != ++step)
            return false;
    }
    return true;
}

} // namespace

class TestClockFaults : public QObject {
    Q_OBJECT

private slots:
    void f49_wallClockIsSet_data()
    {
        QTest::addColumn<QList<qint64>>("hours");
        QTest::addRow("an hour forward") << QList<qint64>{0, 1, 1, 1};
        QTest::addRow("an hour back") << QList<qint64>{0, -1, -1, -1};
        QTest::addRow("to and fro") << QList<qint64>{0, 1, -1, 2, -2, 0, 3, -3};
    }
    void f49_wallClockIsSet()
    {
        QFETCH(QList<qint64>, hours);
        FaultReport report(
            49, QString("The host's wall clock is set while a run goes on: ") + QTest::currentDataTag(),
            "order kept, a warning, no negative duration");
        QTemporaryDir folder;
        makeRun(folder.path());
        TargetPool pool(optionsFor(folder.path()));
        RunFollower follower(m_id, {"localhost"}, pool, folder.filePath("mirror"));
        AttemptRecords story(1);
        RunSeries series;
        connect(&follower, &RunFollower::recordsArrived, this,
                [&](const QString& stream, const std::vector<Record>& records) {
                    story.add(stream, records);
                    series.apply(stream, records);
                });
        const int written = write(folder.path(), hours);
        follower.start();
        AWAIT(follower.caughtUp());
        AWAIT_EQUAL(series.steps().size(), qsizetype(written));
        report.injected(QString("%1 steps while the clock moved by up to 3 h").arg(written));

        QVERIFY(isInOrder(story.take()));
        QVERIFY(std::is_sorted(series.events().begin(), series.events().end(),
                               [](const RunEvent& a, const RunEvent& b) { return a.sequence < b.sequence; }));
        for (const RunAttempt& attempt : series.steps().attempts())
            QVERIFY(attempt.endedNs >= attempt.startedNs);
        for (const double seconds : series.steps().column(StepColumn::TrainingSeconds))
            QVERIFY(seconds >= 0);
        QCOMPARE(series.devices().at(0).sample.memoryUsed,
                 Bytes(hours.size())); // the newest, whatever its clock says
        QVERIFY(movesNoticed(hours) > 0);
        report.observed(
            QString("%1 steps and %2 events in their order, newest device sample shown, %3 warnings")
                .arg(written)
                .arg(series.events().size())
                .arg(movesNoticed(hours)));
    }

private:
    static TargetOptions optionsFor(const QString& root)
    {
        TargetOptions options;
        options.agentPath = QStringLiteral(TRAINYARD_BIN_DIR "/trainyard-agent");
        options.agentRoot = root;
        return options;
    }

    void makeRun(const QString& root) const
    {
        AgentClient agent(root.toStdString());
        const auto request =
            nlohmann::json::parse(QJsonDocument(createRunRequest(m_id)).toJson().toStdString());
        QVERIFY(agent.call(request).value("created", false));
    }

    /// Streams "steps", "run" and "node-0", 20 steps for each setting of the clock. The number of steps.
    int write(const QString& root, const QList<qint64>& hours) const
    {
        SetClock clock;
        const std::filesystem::path journal = (root + "/runs/" + m_id + "/journal").toStdString();
        auto steps = JournalWriter::open(journal, "steps", 1, clock).value();
        auto run = JournalWriter::open(journal, "run", 1, clock).value();
        auto node = JournalWriter::open(journal, "node-0", 1, clock).value();
        int step = 0;
        Bytes used = 0;
        for (const qint64 hour : hours) {
            clock.setBy(hour * kHourNs);
            StateRecord state;
            state.state = RunState::Running;
            DeviceSample sample;
            sample.memoryUsed = ++used;
            const EventRecord event{Severity::Info, "set", "the clock was set", {}, step};
            const bool ok = run.append(state).ok() && run.append(event).ok() && node.append(sample).ok();
            for (int i = 0; ok && i < 20; ++i) {
                StepRecord record;
                record.step = ++step;
                record.stepSeconds = 0.01;
                if (!steps.append(record).ok())
                    return 0;
            }
        }
        return step;
    }

    /// How often the node's sampler would warn of these settings.
    static int movesNoticed(const QList<qint64>& hours)
    {
        WallClockWatch watch;
        int moves = 0;
        Instant now{0, 100 * kHourNs};
        for (const qint64 hour : hours) {
            now.monotonicNs += kSecondNs;
            if (watch.look({now.monotonicNs, now.wallNs + now.monotonicNs + hour * kHourNs}))
                ++moves;
        }
        return moves;
    }

    const QString m_id = "20261122T091505Z-clock-0001";
};

QTEST_GUILESS_MAIN(TestClockFaults)
#include "tst_clock_faults.moc"
