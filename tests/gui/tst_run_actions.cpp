#include <algorithm>
#include <cmath>

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QCompleter>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QLineEdit>
#include <QListView>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QTest>

#include "app/monitor/charts_tab.h"
#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/csv_choice.h"
#include "app/monitor/model_exporter.h"
#include "app/monitor/notes_tab.h"
#include "app/monitor/run_importer.h"
#include "app/monitor/run_list_pane.h"
#include "app/monitor/run_view.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "tests/gui/picture.h"
#include "tests/gui/runs_page_fixture.h"
#include "tests/support/patience.h"

using namespace trainyard;
using namespace trainyard::test;

namespace {

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
    return {{250, "step-000000250", "damaged", reason, 3 << 20, false, true, false, false},
            {200, "step-000000200", "whole", {}, 4 << 20, false, false, false, true},
            {200, "step-000000200.line-1", "abandoned", "the run has left branch 1", 4 << 20, false, false,
             false, false},
            {100, "step-000000100", "whole", {}, 4 << 20, true, false, true, false}};
}

QCheckBox* checkBox(const QWidget& parent, const QString& text)
{
    for (auto* box : parent.findChildren<QCheckBox*>()) {
        if (box->text() == text)
            return box;
    }
    return nullptr;
}

} // namespace

/// What the page does with runs: stop, resume, delete, import, export, tags and notes.
class TestRunActions : public QObject, private RunsPageFixture {
    Q_OBJECT

private slots:
    void initTestCase() { support::applyScheme(ColourScheme::Light); }
    void init() { start(); }
    void cleanup() { end(); }

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

    void exportsAModelOnlyAfterTellingItsSize()
    {
        open({stoppedRun()});
        const QString id = m_history->runs().first().id;
        MessageBar strip;
        ModelExporter exporter(*m_store, strip, *m_page);
        const QString folder = m_folder->filePath("model");
        exporter.confirm(id, 200, folder);
        QVERIFY(m_hosts->asked.isEmpty());
        QVERIFY2(strip.text().contains(folder) && strip.text().contains("step 200") &&
                     strip.text().contains("MiB of weights") && strip.text().contains("gpu-01.cluster"),
                 qPrintable(strip.text()));
        strip.findChild<QCheckBox*>()->setChecked(false);
        button("Export", &strip)->click();
        QCOMPARE(m_hosts->asked, QStringList{"export " + id});
        QCOMPARE(m_hosts->exported.step, std::optional<qint64>(200));
        QVERIFY(!m_hosts->exported.hasTokenizer);
        QCOMPARE(m_hosts->exported.folder, std::filesystem::path(folder.toStdString()));
        m_hosts->last.progress("fetching from gpu-01.cluster: 1 of 2 MiB", 0.5);
        QVERIFY(strip.text().contains("fetching from gpu-01.cluster"));
        exporter.confirm(id, {}, m_folder->filePath("second")); // one at a time
        QVERIFY(strip.text().contains("one model at a time"));
        QCOMPARE(m_hosts->asked.size(), 1);
        QVERIFY(button("Cancel", &strip)->isEnabled());
        m_hosts->exported.noticed("the newest checkpoint is damaged");
        m_hosts->last.done({});
        QVERIFY(strip.text().contains("Exported the model to " + folder));
        QVERIFY(strip.text().contains("damaged"));
    }

    void adaptersAreExportedAloneForPeft()
    {
        support::SampleRun adapted = stoppedRun();
        adapted.loraRank = 8;
        open({adapted});
        const QString id = m_history->runs().first().id;
        MessageBar strip;
        ModelExporter exporter(*m_store, strip, *m_page);
        exporter.confirm(id, {}, m_folder->filePath("adapters"));
        QCheckBox* adapters = checkBox(strip, "Adapters only (PEFT)");
        QVERIFY(adapters && adapters->isEnabled() && !adapters->isChecked());
        strip.show();
        adapters->setFocus();
        QTest::keyClick(adapters, Qt::Key_Space);
        button("Export", &strip)->click();
        QVERIFY(m_hosts->exported.adapters);
        QVERIFY(m_hosts->exported.hasTokenizer);
    }

    void aRunWithoutAdaptersExportsItsWeights()
    {
        open({stoppedRun()});
        MessageBar strip;
        ModelExporter exporter(*m_store, strip, *m_page);
        exporter.confirm(m_history->runs().first().id, {}, m_folder->filePath("model"));
        const QCheckBox* adapters = checkBox(strip, "Adapters only (PEFT)");
        QVERIFY(adapters && !adapters->isEnabled());
        QVERIFY(adapters->toolTip().contains("no low-rank adapters"));
        button("Export", &strip)->click();
        QVERIFY(!m_hosts->exported.adapters);
    }

    void anExportCanBeCancelledAndTellsWhatIsWrong()
    {
        open({stoppedRun()});
        const QString id = m_history->runs().first().id;
        MessageBar strip;
        ModelExporter exporter(*m_store, strip, *m_page);
        exporter.confirm(id, {}, m_folder->path());
        QVERIFY(strip.text().contains("exists already"));
        exporter.confirm(id, {}, m_folder->filePath("model"));
        button("Export", &strip)->click();
        button("Cancel", &strip)->click();
        QCOMPARE(m_hosts->asked.last(), "cancel");
        m_hosts->last.done(cancelled("the export was cancelled"));
        QVERIFY(strip.text().contains("nothing was written"));
        exporter.confirm(id, {}, m_folder->filePath("model"));
        button("Export", &strip)->click();
        m_hosts->last.done(badInput("the vocabulary cannot be read", "leave the tokenizer out"));
        QVERIFY(strip.text().contains("The vocabulary cannot be read"));
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
        QVERIFY(!button("Try on a text")->isEnabled());
        QCOMPARE(button("Try on a text")->toolTip(), "Select a complete checkpoint to try");
        QCOMPARE(button("Export model…")->toolTip(), "Select a complete checkpoint to export");
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
        QVERIFY(hasTextStartingWith("refresh failed: gpu-01.cluster: the link was lost"));
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

    void offersTheTagsOfOtherRuns()
    {
        open({running(), {}});
        QVERIFY(m_history->setTags(m_history->runs().last().id, {"baseline"}).ok());
        auto* tags = m_page->findChild<NotesTab*>()->findChild<QLineEdit*>();
        m_page->panels()->showPanel(*tags);
        QTest::keyClicks(tags, "paper, ba");
        QCOMPARE(tags->completer()->currentCompletion(), QString("paper, baseline"));
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

    void importsTheRunsOfTensorBoard()
    {
        open({running()});
        auto* importer = m_page->findChild<RunImporter*>();
        importer->importFolder(TRAINYARD_SOURCE_DIR "/tests/golden/tensorboard/logs");
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
        m_page->findChild<RunImporter*>()->importFolder(logs);
        AWAIT(m_page->findChild<MessageBar*>()->text().contains("Cannot map " + logs + "/b"));
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

private:
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
};

QTEST_MAIN(TestRunActions)
#include "tst_run_actions.moc"
