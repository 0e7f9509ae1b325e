#include <QApplication>
#include <QComboBox>
#include <QDateTime>
#include <QDir>
#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QProgressBar>
#include <QSignalSpy>
#include <QTest>

#include "app/monitor/charts_tab.h"
#include "app/monitor/device_board.h"
#include "app/monitor/devices_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/log_view.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/rank_times.h"
#include "app/monitor/run_header.h"
#include "app/monitor/run_list_pane.h"
#include "app/monitor/run_view.h"
#include "app/monitor/spec_tab.h"
#include "app/monitor/timeline_tab.h"
#include "app/monitor/trace_view.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "tests/gui/picture.h"
#include "tests/gui/runs_page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

/// What the page shows of runs.
class TestRunsPlace : public QObject, private RunsPageFixture {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }
    void init() { start(); }
    void cleanup() { end(); }

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

    void searchKeepsWhatMatches()
    {
        open({running(), {}, failedRun()});
        auto* list = m_page->findChild<RunListPane*>()->findChild<QListView*>();
        QCOMPARE(list->model()->rowCount(), 3);
        QTest::keyClicks(m_page->findChild<RunListPane*>()->findChild<QLineEdit*>(), "failed gpu-02");
        QCOMPARE(list->model()->rowCount(), 1);
    }

    void aSearchNeverClosesTheOpenRun()
    {
        open({running(), {}, failedRun()});
        auto* pane = m_page->findChild<RunListPane*>();
        auto* search = pane->findChild<QLineEdit*>();
        auto* list = pane->findChild<QListView*>();
        const QString opened = pane->currentRun();
        QVERIFY(!opened.isEmpty());
        QSignalSpy changed(pane, &RunListPane::currentRunChanged);
        QTest::keyClicks(search, "nothing has this");
        QCOMPARE(list->model()->rowCount(), 0);
        QCOMPARE(pane->currentRun(), opened);
        search->clear();
        QCOMPARE(list->currentIndex().data(RunListModel::EntryRole).value<RunEntry>().id, opened);
        QCOMPARE(changed.size(), 0);
        QTest::keyClicks(search, "nothing has this");
        pane->select(opened);
        QCOMPARE(search->text(), QString());
    }

    void namesASearchThatThereIsNot()
    {
        open({running()});
        QTest::keyClicks(m_page->findChild<RunListPane*>()->findChild<QLineEdit*>(), "foo:bar");
        AWAIT(hasTextStartingWith("\"foo\" is not a search key"));
    }

    void tenRunsAreSeenAtOnce()
    {
        open({running(), {}, failedRun()});
        m_page->resize(1280, 750); // a window of 800 less its status bar
        auto* list = m_page->findChild<RunListPane*>()->findChild<QListView*>();
        AWAIT(list->viewport()->height() >= 10 * list->sizeHintForRow(0));
        support::savePictures(*m_page, "runs-compact");
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

    void saysWhatASearchCannotUse()
    {
        open({running()});
        auto* search = m_page->findChild<RunListPane*>()->findChild<QLineEdit*>();
        QVERIFY(search->toolTip().contains("tag:paper"));
        QTest::keyClicks(search, "loss<low");
        QVERIFY(search->toolTip().startsWith("loss needs a number"));
        QVERIFY(hasTextStartingWith("Loss needs a number"));
        QCOMPARE(m_page->findChild<RunListPane*>()->findChild<QListView*>()->model()->rowCount(), 1);
        support::savePictures(*m_page, "runs-search-problem");
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
    static QLineEdit* fieldOf(QWidget& parent, const QString& name)
    {
        for (auto* field : parent.findChildren<QLineEdit*>()) {
            if (field->accessibleName() == name)
                return field;
        }
        qFatal("no field %s", qPrintable(name));
    }
};

QTEST_MAIN(TestRunsPlace)
#include "tst_runs_place.moc"
