#include <QCheckBox>
#include <QComboBox>
#include <QCompleter>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

#include "app/alerts/alert_center.h"
#include "app/monitor/charts_tab.h"
#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/csv_choice.h"
#include "app/monitor/device_board.h"
#include "app/monitor/devices_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/log_view.h"
#include "app/monitor/notes_tab.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/rank_times.h"
#include "app/monitor/run_header.h"
#include "app/monitor/run_importer.h"
#include "app/monitor/run_list_pane.h"
#include "app/monitor/run_view.h"
#include "app/monitor/runs_page.h"
#include "app/monitor/spec_tab.h"
#include "app/monitor/timeline_tab.h"
#include "app/monitor/trace_view.h"
#include "app/plan/hardware_library.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "remote/launch/run_service.h"
#include "tests/gui/picture.h"
#include "tests/support/patience.h"
#include "tests/support/sample_run/sample_run.h"

using namespace trainyard;

namespace {

/// Hosts that do what a test tells them.
class ScriptedHosts : public RunHosts {
public:
    void follow(OpenRun& run) override
    {
        followed.append(run.id());
        run.setLink(RunLink::Live);
    }
    void stop(const QString& runId, bool keep, RunReply reply) override
    {
        ask((keep ? "stop " : "kill ") + runId, reply);
    }
    void resume(const QString& runId, const ResumeChanges& changes, RunReply reply) override
    {
        QString what = "resume " + runId;
        if (changes.learningRate > 0)
            what += QString(" with %1").arg(changes.learningRate);
        if (changes.step)
            what += QString(" from %1").arg(*changes.step);
        ask(what, reply);
    }
    void listCheckpoints(const QString& runId, std::chrono::milliseconds verification, const QObject*,
                         std::function<void(const Result<QList<RunCheckpoint>>&)> done) override
    {
        asked.append((verification.count() > 0 ? "verify " : "list ") + runId);
        if (checkpoints)
            done(*checkpoints);
        else
            listed = done;
    }
    void checkpoint(const QString& runId, RunReply reply) override { ask("checkpoint " + runId, reply); }
    void removeFromHosts(const QString& runId, RunReply reply) override { ask("remove " + runId, reply); }
    void readLog(const QString&, int, qint64, qint64, const QObject*,
                 std::function<void(const Result<LogPiece>&)> done) override
    {
        done(unreachable("gpu-01: no link"));
    }
    void readRing(const QString&, int rank, const QObject*,
                  std::function<void(const Result<FlightSnapshot>&)> done) override
    {
        FlightSnapshot ring;
        ring.rank = rank;
        ring.step = step;
        ring.activity = Activity::Backward;
        ring.entries = {
            {std::uint64_t(step - 1199), 0, CollectiveKind::AllReduce, 25 << 20, 1'000'000, leftNs, step}};
        for (std::int64_t s = step - 40; s < step; ++s) {
            const std::int64_t begin = s * 100'000'000;
            const auto number = std::uint64_t(2 * s);
            ring.passes.push_back({number, TracedWork::Forward, 0, 0, begin, begin + 30'000'000, s});
            ring.passes.push_back(
                {number + 1, TracedWork::Backward, 0, 0, begin + 30'000'000, begin + 90'000'000, s});
        }
        step += stepsOfALook;
        done(ring);
    }
    std::int64_t step = 1240; ///< that all ranks are in
    int stepsOfALook = 0;     ///< done from one look to the next
    std::int64_t leftNs = 0;  ///< of the last collective

    QStringList followed;
    QStringList asked;
    RunReply last;
    std::optional<Result<QList<RunCheckpoint>>>
        checkpoints; ///< listed at once; nothing = when a test says so
    std::function<void(const Result<QList<RunCheckpoint>>&)> listed;
    std::optional<Status> answer; ///< to every request, at once; nothing = none

private:
    void ask(const QString& what, const RunReply& reply)
    {
        asked.append(what);
        last = reply;
        if (answer)
            reply.done(*answer);
    }
};

support::SampleRun running()
{
    support::SampleRun run;
    run.name = "bert-large-phase1";
    run.hosts = QStringList{"gpu-01.cluster", "gpu-02.cluster"};
    run.worldSize = 4;
    run.steps = 2000;
    run.reached = 1240;
    run.state = RunState::Running;
    run.startNs = QDateTime::currentMSecsSinceEpoch() * 1'000'000 - 300'000'000'000;
    run.spikeAt = 640;
    run.notFiniteAt = 900;
    run.rowLength = 128;
    return run;
}

support::SampleRun failedRun()
{
    support::SampleRun run;
    run.name = "a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch";
    run.id = "20261120T101010Z-a-rather-long-name-that-somebody-chose-for-a-sweep-over-warmup-and-batch-00aa";
    run.hosts = QStringList{"gpu-01.cluster", "gpu-02.cluster"};
    run.worldSize = 8;
    run.reached = 233;
    run.state = RunState::Failed;
    run.reason =
        "rank 7 on gpu-02.cluster was killed by signal 9 (out of memory) in all-reduce 41 of step 233";
    run.startNs -= 86'400'000'000'000;
    run.seed = 3;
    return run;
}

/// Stopped after step 250; its checkpoints are those of threeKinds().
support::SampleRun stoppedRun()
{
    support::SampleRun run;
    run.hosts = QStringList{"gpu-01.cluster", "gpu-02.cluster"};
    run.reached = 250;
    run.state = RunState::Stopped;
    return run;
}

/// Whole, damaged with a long reason, and of a line that was left.
QList<RunCheckpoint> threeKinds()
{
    const QString reason =
        "shard-0001-of-0002.safetensors has 12 345 bytes, and the manifest tells of 23 456; "
        "the disk of gpu-01.cluster may have been full when it was written";
    return {{250, "step-000000250", "damaged", reason, 3 << 20, false, true, false},
            {200, "step-000000200", "whole", {}, 4 << 20, false, false, true},
            {200, "step-000000200.line-1", "abandoned", "the run has left branch 1", 4 << 20, false, false,
             false},
            {100, "step-000000100", "whole", {}, 4 << 20, true, false, false}};
}

} // namespace

class TestRunsPlace : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_history = RunDatabase::open(m_folder->filePath("history.db")).value();
        m_hosts = std::make_unique<ScriptedHosts>();
        QDir(m_folder->path()).mkdir("runs");
    }

    void cleanup()
    {
        m_page.reset();
        m_alerts.reset();
        m_store.reset();
        m_history.reset();
    }

    void saysWhatItIsForWhileThereAreNoRuns()
    {
        open({});
        QVERIFY(hasText("No runs yet"));
        support::savePictures(*m_page, "runs-empty");
    }

    void showsTheNewestRunWithItsMetrics()
    {
        open({running(), {}, failedRun()});
        QVERIFY(hasText("bert-large-phase1"));
        QVERIFY(hasTextStartingWith("step 1\u202f240 of 2\u202f000 (62.0 %)"));
        QCOMPARE(m_page->findChild<RunHeader*>()->findChild<QProgressBar*>()->value(), 620);
        support::savePictures(*m_page, "runs-charts");
        PanelArea& panels = *m_page->panels();
        for (const QString& id : panels.panelIds()) {
            panels.showPanel(*panels.panel(id));
            support::savePictures(*m_page, "runs-panel-" + id);
        }
    }

    void theEndOfTheDemoOffersWhatFollows()
    {
        open({{}});
        const QString id = m_history->runs().first().id;
        QSignalSpy compared(m_page.get(), &RunsPage::comparisonRequested);
        QSignalSpy reported(m_page.get(), &RunsPage::reportRequested);
        QSignalSpy copied(m_page.get(), &RunsPage::copyRequested);
        QSignalSpy launched(m_page.get(), &RunsPage::launchRequested);
        m_page->offerNextSteps(id);
        QVERIFY(hasTextStartingWith("The demo has finished: 400 steps, the loss went from"));
        button("Compare with others")->click();
        button("Make a report")->click();
        button("Edit in Design")->click();
        button("Run again")->click();
        QCOMPARE(compared.value(0).value(0).toString(), id);
        QCOMPARE(reported.value(0).value(0).toString(), id);
        QCOMPARE(copied.size(), 1);
        QCOMPARE(launched.size(), 1);
        support::savePictures(*m_page, "runs-demo-end");
    }

    void plansTheTimeForTheHardwareThatIsChosen()
    {
        open({running()});
        auto* plan = m_page->findChild<PlanTab*>();
        m_page->panels()->showPanel(*plan);
        QVERIFY(hasTextStartingWith("No planned time"));
        auto* choice = plan->findChild<QComboBox*>();
        choice->setFocus();
        QApplication::setKeyboardInputInterval(kPatienceMs); // one word, however slowly it is typed
        QTest::keyClicks(choice, "cpu-node");
        AWAIT(hasTextStartingWith("Planned for cpu-node"));
        support::savePictures(*m_page, "runs-plan");
    }

    void showsTheMemoryOfTheRankThatIsChosen()
    {
        open({running()});
        auto* plan = m_page->findChild<PlanTab*>();
        m_page->panels()->showPanel(*plan);
        auto* ranks = tableOf(*plan, "Memory of every rank");
        QCOMPARE(ranks->model()->rowCount(), 4);
        ranks->setFocus();
        ranks->setCurrentIndex(ranks->model()->index(1, 0));
        QVERIFY(hasText("Peak memory of rank 1"));
        QTest::keyClick(ranks, Qt::Key_Down);
        QVERIFY(hasText("Peak memory of rank 2"));
        QCOMPARE(tableOf(*plan, "Memory by category")->model()->rowCount(), int(kMemoryCategories) + 1);
    }

    void followsOnlyRunsThatAreNotOver()
    {
        open({running(), {}, failedRun()});
        QCOMPARE(m_hosts->followed.size(), 1);
        QVERIFY(m_hosts->followed.first().contains("bert-large-phase1"));
    }

    void showsWhyARunFailedAndOffersToResume()
    {
        open({failedRun()});
        QVERIFY(hasTextStartingWith("rank 7 on gpu-02.cluster was killed"));
        QVERIFY(button("Resume")->isVisible());
        QVERIFY(!button("Stop…")->isVisible());
        button("Resume")->click();
        QCOMPARE(m_hosts->asked, QStringList{"resume " + failedRun().id});
        support::savePictures(*m_page, "runs-failed");
        m_hosts->last.done(
            unreachable("gpu-02.cluster: no route to host", "check the network, then try again"));
        QVERIFY(hasTextStartingWith("gpu-02.cluster: no route to host"));
        QVERIFY(button("Resume")->isEnabled());
        support::savePictures(*m_page, "runs-failed-unreachable");
    }

    void stopsOnlyAfterAskingInPlace()
    {
        open({running()});
        button("Stop…")->click();
        QVERIFY(m_hosts->asked.isEmpty());
        support::savePictures(*m_page, "runs-stop");
        button("Stop the run")->click();
        QCOMPARE(m_hosts->asked.size(), 1);
        QVERIFY(m_hosts->asked.first().startsWith("stop "));
        QVERIFY(!button("Stop…")->isEnabled());
        m_hosts->last.done({});
        QVERIFY(hasTextStartingWith("Run stopped."));
    }

    void theFocusStaysWhereTheUserActed()
    {
        open({running()});
        auto* strip = m_page->findChild<RunView*>()->findChild<MessageBar*>();
        const auto focus = [this] { return m_page->window()->focusWidget(); };
        button("Stop…")->setFocus();
        button("Stop…")->click();
        QCOMPARE(focus(), button("Keep it running"));
        button("Keep it running")->click();
        QCOMPARE(focus(), button("Stop…"));
        button("Stop…")->click();
        button("Stop the run")->setFocus();
        button("Stop the run")->click();
        QCOMPARE(focus(), strip);
        m_hosts->last.done({});
        QCOMPARE(focus(), strip);
    }

    void listsItsCheckpointsAndSaysWhatEachIs()
    {
        m_hosts->checkpoints = threeKinds();
        showCheckpoints(stoppedRun());
        auto* table = tableOf(*checkpoints(), "Checkpoints");
        AWAIT_EQUAL(table->model()->rowCount(), 4);
        QCOMPARE(m_hosts->asked.first(), "list " + m_history->runs().first().id);
        QCOMPARE(table->currentIndex().row(), 1); // used by the next resume
        QVERIFY(hasTextStartingWith("Step 200 is complete"));
        QVERIFY(button("Resume from this checkpoint")->isEnabled());
        support::savePictures(*m_page, "runs-checkpoints");
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Up);
        QVERIFY(hasTextStartingWith("Step 250 is damaged: shard-0001-of-0002.safetensors has 12 345 bytes"));
        QVERIFY(!button("Resume from this checkpoint")->isEnabled());
        QVERIFY(button("Resume from this checkpoint")->toolTip().contains("only from a complete checkpoint"));
        support::savePictures(*m_page, "runs-checkpoints-damaged");
        QTest::keyClick(table, Qt::Key_Down);
        QTest::keyClick(table, Qt::Key_Down);
        QVERIFY(hasTextStartingWith("Step 200 is abandoned: the run has left branch 1."));
        QVERIFY(button("Resume from this checkpoint")->toolTip().contains("another checkpoint of this step"));
    }

    void resumesFromAnOlderCheckpointOnlyAfterSayingWhatIsLeftBehind()
    {
        m_hosts->checkpoints = threeKinds();
        showCheckpoints(stoppedRun());
        auto* table = tableOf(*checkpoints(), "Checkpoints");
        AWAIT_EQUAL(table->model()->rowCount(), 4);
        table->selectRow(3);
        const qsizetype asked = m_hosts->asked.size();
        button("Resume from this checkpoint")->click();
        QVERIFY(hasTextStartingWith("Go back to the checkpoint of step 100?"));
        QVERIFY(hasTextStartingWith(
            "The later checkpoints become an abandoned branch: steps 200 and 250 (damaged)."));
        QCOMPARE(m_hosts->asked.size(), asked);
        support::savePictures(*m_page, "runs-checkpoints-back");
        button("Resume from step 100")->click();
        QCOMPARE(m_hosts->asked.last(), QString("resume %1 from 100").arg(m_history->runs().first().id));
        QVERIFY(button("Resume from this checkpoint")->toolTip().startsWith("Wait until"));
        m_hosts->last.done({});
        QVERIFY(hasTextStartingWith("Resumed from the checkpoint of step 100."));
        QCOMPARE(m_hosts->asked.last(), "list " + m_history->runs().first().id); // it may be otherwise now
    }

    void theNewestCheckpointIsResumedWithoutAQuestion()
    {
        m_hosts->checkpoints = threeKinds().mid(1);
        showCheckpoints(stoppedRun());
        AWAIT(button("Resume from this checkpoint")->isEnabled());
        button("Resume from this checkpoint")->click();
        QCOMPARE(m_hosts->asked.last(), QString("resume %1 from 200").arg(m_history->runs().first().id));
    }

    void aRunAtWorkIsAskedAgainWhenItPublishesACheckpoint()
    {
        m_hosts->checkpoints = QList<RunCheckpoint>();
        showCheckpoints(running());
        AWAIT(hasText("No checkpoints yet"));
        QVERIFY(hasText("The first is written after step 100."));
        QVERIFY(button("Resume from this checkpoint")->toolTip().startsWith("The run is still active."));
        support::savePictures(*m_page, "runs-checkpoints-none");
        m_hosts->checkpoints = threeKinds().mid(1);
        OpenRun* run = m_store->open(m_history->runs().first().id).value();
        const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
        run->apply(
            "steps",
            {{1,
              100'000,
              {now, now},
              EventRecord{Severity::Info, "checkpoint-published", "checkpoint of step 1300", {}, 1300}}});
        AWAIT_EQUAL(tableOf(*checkpoints(), "Checkpoints")->model()->rowCount(), 3);
        QVERIFY(!button("Resume from this checkpoint")->isEnabled());
    }

    void whileItsHostIsAskedTheWindowGoesOnAndSaysSo()
    {
        showCheckpoints(stoppedRun());
        AWAIT(hasText("Reading the checkpoints…"));
        support::savePictures(*m_page, "runs-checkpoints-reading");
        m_hosts->listed(Error(unreachable("gpu-01.cluster: no route to host")));
        QVERIFY(hasText("Cannot list the checkpoints"));
        QVERIFY(hasTextStartingWith("gpu-01.cluster: no route to host\nCheck that the host is up"));
        support::savePictures(*m_page, "runs-checkpoints-unreachable");
        button("Refresh")->click();
        QVERIFY(hasText("reading…"));
        m_hosts->listed(threeKinds());
        QVERIFY(hasTextStartingWith("4 checkpoints, 15.0 MiB"));
        button("Verify")->click();
        QVERIFY(hasText("verifying hashes…"));
        QVERIFY(m_hosts->asked.last().startsWith("verify "));
        m_hosts->listed(Error(unreachable("gpu-01.cluster: the link was lost")));
        QVERIFY(hasTextStartingWith("outdated list; refresh failed: gpu-01.cluster: the link was lost"));
        QCOMPARE(tableOf(*checkpoints(), "Checkpoints")->model()->rowCount(), 4);
    }

    void endsAtOnceOnlyWhenTheNameIsTyped()
    {
        open({running()});
        button("Stop…")->click();
        button("Kill now…")->click();
        QVERIFY(!button("Kill now")->isEnabled());
        auto* name = m_page->findChild<RunView*>()->findChild<MessageBar*>()->findChild<QLineEdit*>();
        QTest::keyClicks(name, "bert-large-phase");
        QVERIFY(!button("Kill now")->isEnabled());
        QTest::keyClicks(name, "1");
        button("Kill now")->click();
        QCOMPARE(m_hosts->asked.size(), 1);
        QVERIFY(m_hosts->asked.first().startsWith("kill "));
    }

    void aDivergedRunGoesOnWithALowerRate()
    {
        open({running()});
        OpenRun* run = m_store->open(m_store->history().runs().first().id).value();
        const support::SampleRun sample = running();
        for (int step = 1241; step < 1280; ++step) {
            StepRecord record = support::sampleStep(sample, step);
            record.loss = 19;
            const qint64 now = QDateTime::currentMSecsSinceEpoch() * 1'000'000;
            run->apply("steps", {{1, std::uint64_t(90'000 + step), {now, now}, record}});
        }
        m_alerts->look();
        QVERIFY(button("✕ divergence")->isVisible());
        support::savePictures(*m_page, "runs-diverged");
        button("✕ divergence")->click();
        AWAIT(hasTextStartingWith("The loss has been 19"));
        support::savePictures(*m_page, "runs-alert");
        button("Resume with a lower rate…")->click();
        auto* rate = m_page->findChild<RunView*>()->findChild<MessageBar*>()->findChild<QLineEdit*>();
        QVERIFY(std::fabs(rate->text().toDouble() - 0.5e-3) < 1e-5);
        support::savePictures(*m_page, "runs-lower-rate");
        rate->setText("2e-4");
        button("Resume with this rate")->click();
        QVERIFY(m_hosts->asked.first().startsWith("kill "));
        m_hosts->last.done({});
        QVERIFY(m_hosts->asked.last().endsWith(" with 0.0002"));
        m_hosts->last.done({});
        QVERIFY(hasTextStartingWith("Resumed from the latest checkpoint, with a peak learning rate of"));
    }

    void theBoardIsWalkedWithKeysAndTellsOfARank()
    {
        open({running()});
        m_page->panels()->showPanel(*m_page->findChild<DevicesTab*>());
        auto* board = m_page->findChild<DeviceBoard*>();
        board->setFocus();
        QTest::keyClick(board, Qt::Key_Right);
        QTest::keyClick(board, Qt::Key_Right);
        QCOMPARE(board->current(), 1);
        QVERIFY(hasTextStartingWith("rank 1 · gpu-01.cluster, device 1 · D 0 P 1 T 1"));
        QVERIFY(hasTextStartingWith(
            "In backward of step 1\u202f240. Last collective: all-reduce (number 41, 25.0 MiB,"));
        QTest::keyClick(board, Qt::Key_End);
        QCOMPARE(board->current(), 3);
        QTest::keyClick(board, Qt::Key_Return);
        QVERIFY(PanelArea::isSeen(*m_page->findChild<LogTab*>()));
        QCOMPARE(fieldOf(*m_page->findChild<LogTab*>(), "Ranks")->text(), QString("3"));
    }

    void stepsAreRecorded()
    {
        open({running()});
        m_hosts->stepsOfALook = 1;
        m_hosts->leftNs = 2'000'000;
        m_page->panels()->showPanel(*m_page->findChild<TimelineTab*>());
        QPushButton* record = button("Record 5 steps");
        record->click();
        QVERIFY(!record->isEnabled());
        const QString folder = m_store->folderOf(m_store->history().runs().first().id) + "/traces";
        AWAIT(QDir(folder).entryList({"steps-*.json"}).size() == 1);
        AWAIT(record->isEnabled());
        QVERIFY(hasTextStartingWith("Saved " + folder + "/steps-"));
        button("View trace")->click();
        AWAIT(hasTextStartingWith("Recorded: steps-"));
        QVERIFY(hasTextStartingWith("4 ranks"));
        const auto* view = m_page->findChild<TraceView*>();
        QCOMPARE(view->findChild<QComboBox*>()->count(), 5);
        support::savePictures(*m_page, "runs-trace");
        button("Back to the run")->click();
        QVERIFY(!view->isVisible());
    }

    void aDamagedTraceIsNamed()
    {
        open({running()});
        m_page->findChild<RunView*>()->openTrace(m_folder->filePath("history.db"));
        AWAIT(hasTextStartingWith(m_folder->filePath("history.db") + ": not a trace"));
    }

    void theRankThatComputesLongestIsMarked()
    {
        open({running()});
        auto* timeline = m_page->findChild<TimelineTab*>();
        m_page->panels()->showPanel(*timeline);
        auto* ranks = timeline->findChild<RankTimes*>();
        QCOMPARE(ranks->slowest(), 3); // the sample's mild straggler
        QVERIFY(hasTextStartingWith("rank 3 computes"));
        QTest::keyClick(ranks, Qt::Key_End);
        QCOMPARE(ranks->current(), 3);
        QTest::keyClick(ranks, Qt::Key_Return);
        QCOMPARE(m_page->findChild<DeviceBoard*>()->current(), 3);
    }

    void theLogIsSearchedAndFiltered()
    {
        open({failedRun()});
        auto* log = m_page->findChild<LogTab*>();
        m_page->panels()->showPanel(*log);
        auto* view = log->findChild<LogView*>();
        AWAIT(view->lines().size() > 20);
        auto* find = fieldOf(*log, "Find in the log");
        QTest::keyClicks(find, "STEP 1");
        const qsizetype matches = view->matchCount(); // 10, 100 to 190
        QCOMPARE(matches, 11);
        QVERIFY(hasText("1 of 11"));
        QTest::keyClick(find, Qt::Key_Return);
        QVERIFY(hasText("2 of 11"));
        QTest::keyClick(find, Qt::Key_Return, Qt::ShiftModifier);
        QTest::keyClick(find, Qt::Key_Return, Qt::ShiftModifier);
        QVERIFY(hasText("11 of 11")); // round and round
        view->setLeastLevel(LogLevel::Error);
        QCOMPARE(view->shownCount(), 0);
        QCOMPARE(view->matchCount(), 0);
    }

    void logsOfSeveralRanksAreReadTogether()
    {
        open({running()});
        auto* log = m_page->findChild<LogTab*>();
        m_page->panels()->showPanel(*log);
        auto* view = log->findChild<LogView*>();
        AWAIT(view->lines().size() > 20);
        const int ofOne = view->lines().size();
        auto* ranks = fieldOf(*log, "Ranks");
        ranks->setFocus();
        ranks->selectAll();
        QTest::keyClicks(ranks, "ALL");
        QTest::keyClick(ranks, Qt::Key_Return);
        QCOMPARE(ranks->text(), QString("all"));
        AWAIT(view->lines().size() == 4 * ofOne);
        QVERIFY(view->lines().isMerged());
        ranks->selectAll();
        QTest::keyClicks(ranks, "1, 7");
        QTest::keyClick(ranks, Qt::Key_Return);
        QCOMPARE(ranks->text(), QString("all")); // there is no rank 7
        QTest::keyClick(ranks, Qt::Key_Down);
        QCOMPARE(ranks->text(), QString("0"));
        QTest::keyClick(ranks, Qt::Key_Up);
        QCOMPARE(ranks->text(), QString("1"));
        QVERIFY(!view->lines().isMerged());
    }

    void aLostLinkIsNotAStoppedRun()
    {
        open({running()});
        OpenRun* run = m_store->open(m_store->history().runs().first().id).value();
        run->setLink(RunLink::Lost);
        QVERIFY(hasText("◌ link lost, still running"));
        QVERIFY(hasText("● running"));
        support::savePictures(*m_page, "runs-link-lost");
    }

    void newRecordsMoveTheMetrics()
    {
        const support::SampleRun sample = running();
        open({sample});
        OpenRun* run = m_store->open(m_store->history().runs().first().id).value();
        const auto sequence = std::uint64_t(100'000);
        run->apply("steps", {{1,
                              sequence,
                              {0, QDateTime::currentMSecsSinceEpoch() * 1'000'000},
                              support::sampleStep(sample, 1241)}});
        AWAIT(hasTextStartingWith("step 1\u202f241 of 2\u202f000"));
    }

    void notesAreKeptInTheHistory()
    {
        open({running()});
        auto* notes = m_page->findChild<NotesTab*>();
        m_page->panels()->showPanel(*notes);
        QTest::keyClicks(notes->findChild<QLineEdit*>(), "paper, baseline,, paper");
        QTest::keyClicks(notes->findChild<QPlainTextEdit*>(), "lower is better");
        const QString id = m_history->runs().first().id;
        AWAIT_EQUAL(m_history->find(id)->notes, QString("lower is better"));
        QCOMPARE(m_history->find(id)->tags, (QStringList{"paper", "baseline"}));
    }

    void searchKeepsWhatMatches()
    {
        open({running(), {}, failedRun()});
        auto* list = m_page->findChild<RunListPane*>()->findChild<QListView*>();
        QCOMPARE(list->model()->rowCount(), 3);
        QTest::keyClicks(m_page->findChild<RunListPane*>()->findChild<QLineEdit*>(), "failed gpu-02");
        QCOMPARE(list->model()->rowCount(), 1);
    }

    void tagsAndNotesCanBeUndone()
    {
        open({running()});
        auto* tags = m_page->findChild<NotesTab*>()->findChild<QLineEdit*>();
        m_page->panels()->showPanel(*tags);
        QTest::keyClicks(tags, "paper");
        const QString id = m_history->runs().first().id;
        AWAIT_EQUAL(m_history->find(id)->tags, (QStringList{"paper"}));
        m_store->edits().stack().undo();
        QVERIFY(m_history->find(id)->tags.isEmpty());
        QCOMPARE(tags->text(), QString());
        m_store->edits().stack().redo();
        QCOMPARE(tags->text(), QString("paper"));
    }

    void keysUndoTheLastChangeOfThePlace()
    {
        open({running(), failedRun()});
        const QString id = m_history->runs().last().id;
        closeCharts();
        m_page->showRun(id);
        trigger("Archive");
        m_page->activateWindow(); // the menu had it
        AWAIT(m_page->isActiveWindow());
        m_page->findChild<RunListPane*>()->focusList();
        press(Qt::Key_Z);
        QVERIFY(!m_history->find(id)->isArchived);
        QVERIFY(!PanelArea::isSeen(*m_page->findChild<ChartsTab*>()));
        press(Qt::Key_Z);
        AWAIT(PanelArea::isSeen(*m_page->findChild<ChartsTab*>()));
        press(Qt::Key_Y);
        press(Qt::Key_Y);
        QVERIFY(m_history->find(id)->isArchived);
    }

    void whatIsTypedAtTheEndIsKeptThoughThePlaceCloses()
    {
        open({running()});
        auto* tags = m_page->findChild<NotesTab*>()->findChild<QLineEdit*>();
        QTest::keyClicks(tags, "paper");
        m_page.reset();
        QCOMPARE(m_history->runs().first().tags, QStringList{"paper"});
        m_store->edits().stack().undo();
        QVERIFY(m_history->runs().first().tags.isEmpty());
    }

    void aWideWindowShowsChartsDevicesAndLogAtOnce()
    {
        open({running()});
        QVERIFY(PanelArea::isSeen(*m_page->findChild<ChartsTab*>()));
        QVERIFY(!PanelArea::isSeen(*m_page->findChild<LogTab*>()));
        m_page->resize(2560, 1440);
        for (QWidget* panel :
             std::initializer_list<QWidget*>{m_page->findChild<ChartsTab*>(),
                                             m_page->findChild<DevicesTab*>(), m_page->findChild<LogTab*>()})
            AWAIT(PanelArea::isSeen(*panel));
        AWAIT(hasText("bert-large-phase1"));
        support::savePictures(*m_page, "runs-wide");
    }

    void offersTheTagsOfOtherRuns()
    {
        open({running(), {}});
        QVERIFY(m_history->setTags(m_history->runs().last().id, {"baseline"}).ok());
        auto* tags = m_page->findChild<NotesTab*>()->findChild<QLineEdit*>();
        m_page->panels()->showPanel(*tags);
        QTest::keyClicks(tags, "paper, ba");
        QCOMPARE(tags->completer()->currentCompletion(), QString("paper, baseline"));
    }

    void saysWhatASearchCannotUse()
    {
        open({running()});
        auto* search = m_page->findChild<RunListPane*>()->findChild<QLineEdit*>();
        QVERIFY(search->toolTip().contains("tag:paper"));
        QTest::keyClicks(search, "loss<low");
        QVERIFY(search->toolTip().startsWith("loss needs a number"));
        QCOMPARE(m_page->findChild<RunListPane*>()->findChild<QListView*>()->model()->rowCount(), 1);
        support::savePictures(*m_page, "runs-search-problem");
    }

    void archivesAndBringsBack()
    {
        open({running(), failedRun()});
        const QString id = m_history->runs().last().id;
        m_page->showRun(id);
        trigger("Archive");
        auto* list = m_page->findChild<RunListPane*>()->findChild<QListView*>();
        QCOMPARE(list->model()->rowCount(), 1);
        QVERIFY(m_history->find(id)->isArchived);
        button("Undo")->click();
        QCOMPARE(list->model()->rowCount(), 2);
    }

    void deletesOnlyWhenTheNameIsTyped()
    {
        open({running(), failedRun()});
        const QString id = m_history->runs().last().id;
        const QString name = m_history->runs().last().name;
        m_page->showRun(id);
        trigger("Delete…");
        QVERIFY(!button("Delete")->isEnabled());
        support::savePictures(*m_page, "runs-delete");
        QTest::keyClicks(m_page->findChild<MessageBar*>()->findChild<QLineEdit*>(), name);
        QVERIFY(button("Delete")->isEnabled());
        button("Delete")->click();
        QVERIFY(!m_history->find(id));
        QVERIFY(!QDir(m_store->folderOf(id)).exists());
        QCOMPARE(m_hosts->asked, QStringList());
    }

    void deletesFromTheHostsToo()
    {
        open({running(), failedRun()});
        const QString id = m_history->runs().last().id;
        m_page->showRun(id);
        const auto confirm = [this, name = m_history->runs().last().name] {
            trigger("Delete…");
            QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete); // what stood there before
            auto* strip = m_page->findChild<MessageBar*>();
            strip->findChild<QCheckBox*>()->click();
            QTest::keyClicks(strip->findChild<QLineEdit*>(), name);
            QTest::keyClick(strip->findChild<QLineEdit*>(), Qt::Key_Return);
        };
        m_hosts->answer = Status(unreachable("gpu-01: no answer"));
        confirm();
        QVERIFY(m_history->find(id)); // its hosts still have it
        QVERIFY(m_page->findChild<MessageBar*>()->text().contains("no answer"));
        m_hosts->answer = Status();
        confirm();
        QVERIFY(!m_history->find(id));
        QCOMPARE(m_hosts->asked, (QStringList{"remove " + id, "remove " + id}));
    }

    void showsInWhatTwoSpecificationsDiffer()
    {
        support::SampleRun other;
        other.name = "bert-tiny-fast";
        other.learningRate = 5e-3;
        other.startNs -= 86'400'000'000'000;
        open({{}, other});
        auto* spec = m_page->findChild<SpecTab*>();
        m_page->panels()->showPanel(*spec);
        auto* choice = spec->findChild<QComboBox*>();
        choice->setFocus();
        QTest::keyClick(choice, Qt::Key_Down);
        QAbstractItemModel* differences = tableOf(*spec, "Differences")->model();
        QCOMPARE(differences->rowCount(), 1);
        QCOMPARE(differences->index(0, 0).data().toString(), QString("Learning rate"));
        QCOMPARE(differences->index(0, 0).data(Qt::ToolTipRole).toString(),
                 QString("optimizer.learning_rate"));
        support::savePictures(*m_page, "runs-spec-difference");
    }

    void importsTheRunsOfTensorBoard()
    {
        open({running()});
        auto* importer = m_page->findChild<RunImporter*>();
        importer->importEvents(TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard/logs");
        AWAIT_EQUAL(m_history->runs().size(), 4);
        AWAIT(hasText("Imported 3 runs."));
        support::savePictures(*m_page, "runs-imported");
    }

    void importsAllRunsOfAFolderOrNone()
    {
        const QString unreadable = QStringLiteral("/sys/kernel/uevent_seqnum"); // it cannot be mapped
        if (!QFile::exists(unreadable))
            QSKIP("needs the kernel's files in /sys");
        open({running()});
        const QString logs = m_folder->filePath("logs");
        const QString file = QStringLiteral("/events.out.tfevents.1790000000.0");
        QVERIFY(QDir().mkpath(logs + "/a") && QDir().mkpath(logs + "/b"));
        QVERIFY(QFile::copy(TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard/logs/tensorboard" + file,
                            logs + "/a" + file));
        QVERIFY(QFile::link(unreadable, logs + "/b" + file));
        m_page->findChild<RunImporter*>()->importEvents(logs);
        AWAIT(m_page->findChild<MessageBar*>()->text().contains("cannot map " + logs + "/b"));
        QCOMPARE(m_history->runs().size(), 1);
        QCOMPARE(QDir(m_folder->filePath("runs"))
                     .entryList(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot)
                     .size(),
                 1);
    }

    void importsTheChosenColumnsOfATable()
    {
        open({running()});
        QFile file(m_folder->filePath("curves.csv"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("iteration,train/loss,accuracy,note\n1,2.5,0.1,x\n2,2,0.2,y\n");
        file.close();
        m_page->findChild<RunImporter*>()->importTable(file.fileName());
        AWAIT(m_page->findChild<CsvChoice*>());
        auto* choice = m_page->findChild<CsvChoice*>();
        QCOMPARE(choice->columns().step, QString("iteration"));
        QCOMPARE(choice->columns().series, (QStringList{"train/loss", "accuracy"}));
        support::savePictures(*m_page, "runs-import-table");
        choice->findChild<QListWidget*>()->item(2)->setCheckState(Qt::Unchecked);
        button("Import", m_page->findChild<MessageBar*>())->click();
        AWAIT_EQUAL(m_history->runs().size(), 2);
        const auto imported = std::find_if(m_history->runs().begin(), m_history->runs().end(),
                                           [](const RunEntry& entry) { return entry.name == "curves"; });
        QVERIFY(imported != m_history->runs().end());
        QCOMPARE(imported->importedFrom, QString("CSV"));
        QCOMPARE(m_store->open(imported->id).value()->facts().import->tables.front().names.last(),
                 QString("train/loss"));
    }

    void aDamagedFolderSaysSoInPlace()
    {
        open({running()});
        RunEntry gone;
        gone.id = "20250101T000000Z-gone-0000";
        gone.name = "gone";
        gone.state = RunState::Finished;
        QVERIFY(m_history->store(gone).ok());
        m_page->showRun(gone.id);
        QVERIFY(m_page->findChild<MessageBar*>()->text().contains("no longer on this computer"));
        support::savePictures(*m_page, "runs-folder-gone");
        button("Remove from list")->click();
        QVERIFY(!m_history->find(gone.id));
    }

private:
    void open(const QList<support::SampleRun>& runs)
    {
        for (const support::SampleRun& run : runs)
            QVERIFY(!support::writeSampleRun(m_folder->filePath("runs"), run).isEmpty());
        m_store = std::make_unique<RunStore>(*m_history, m_folder->filePath("runs"), m_hosts.get());
        m_alerts = std::make_unique<AlertCenter>(*m_store, m_folder->filePath("alerts.json").toStdString());
        m_page = std::make_unique<RunsPage>(*m_store, *m_alerts, m_hardware);
        m_page->resize(1200, 770);
        m_page->show();
        m_page->activate();
        QVERIFY(QTest::qWaitForWindowExposed(m_page.get(), kPatienceMs));
        QCoreApplication::processEvents(); // the panels are laid out
    }

    CheckpointsTab* checkpoints() const { return m_page->findChild<CheckpointsTab*>(); }

    void showCheckpoints(const support::SampleRun& run)
    {
        open({run});
        m_page->panels()->showPanel(*checkpoints());
        AWAIT(!m_hosts->asked.isEmpty());
    }

    void closeCharts()
    {
        run("Show panel Charts");
        AWAIT(m_page->findChild<ChartsTab*>()->isAncestorOf(QApplication::focusWidget()));
        run("Close the panel in focus");
        AWAIT(!PanelArea::isSeen(*m_page->findChild<ChartsTab*>()));
        AWAIT_EQUAL(m_page->workspace().count(), 1);
    }

    /// With Ctrl, wherever the focus is.
    void press(Qt::Key key) { QTest::keyClick(QApplication::focusWidget(), key, Qt::ControlModifier); }

    void run(const QString& command)
    {
        for (QAction* action : m_page->panels()->commands()) {
            if (action->text() == command)
                return action->trigger();
        }
        qFatal("no command %s", qPrintable(command));
    }

    /// Chooses in the menu of the current run.
    void trigger(const QString& text)
    {
        button("Actions")->click();
        auto* menu = m_page->findChild<QMenu*>();
        for (QAction* action : menu->actions()) {
            if (action->text() == text)
                action->trigger();
        }
        menu->close();
        QCoreApplication::sendPostedEvents(menu, QEvent::DeferredDelete);
    }

    QPushButton* button(const QString& text, const QWidget* parent = nullptr) const
    {
        for (QPushButton* button : (parent ? parent : m_page.get())->findChildren<QPushButton*>()) {
            if (button->text() == text)
                return button;
        }
        qFatal("no button %s", qPrintable(text));
    }

    static QLineEdit* fieldOf(QWidget& parent, const QString& name)
    {
        for (auto* field : parent.findChildren<QLineEdit*>()) {
            if (field->accessibleName() == name)
                return field;
        }
        qFatal("no field %s", qPrintable(name));
    }

    static QTableView* tableOf(QWidget& parent, const QString& name)
    {
        for (auto* table : parent.findChildren<QTableView*>()) {
            if (table->accessibleName() == name)
                return table;
        }
        qFatal("no table %s", qPrintable(name));
    }

    bool hasText(const QString& text) const
    {
        const auto labels = m_page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(),
                           [&](QLabel* label) { return label->isVisible() && label->text() == text; });
    }

    bool hasTextStartingWith(const QString& text) const
    {
        const auto labels = m_page->findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](QLabel* label) {
            return label->isVisible() && label->text().startsWith(text);
        });
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<RunDatabase> m_history;
    std::unique_ptr<ScriptedHosts> m_hosts;
    std::unique_ptr<RunStore> m_store;
    std::unique_ptr<AlertCenter> m_alerts;
    const HardwareLibrary m_hardware{"/no/hardware/of/ones/own"};
    std::unique_ptr<RunsPage> m_page;
};

QTEST_MAIN(TestRunsPlace)
#include "tst_runs_place.moc"
