#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/plan_tab.h"
#include "app/monitor/run_view.h"
#include "app/monitor/runs_page.h"
#include "app/plan/plan_comparison.h"
#include "app/shell/desk_window.h"
#include "app/workspace/panel_area.h"
#include "tests/integration/cli_fixture.h"
#include "tests/support/file_content.h"
#include "tests/support/patience.h"

using namespace trainyard;
using trainyard::support::contentOf;
using namespace trainyard::test;

/// A real training on two ranks of this machine, driven from the window with the charts open.
class TestRunInWindow : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QString why;
        QVERIFY2(m_cli.makeDataset(&why), qPrintable(why));
        qputenv("TRAINYARD_DATA", m_cli.path("desk").toLocal8Bit());
        qputenv("TRAINYARD_HOME", m_cli.path("home").toLocal8Bit());
        qputenv("TRAINYARD_BIN", TRAINYARD_BIN_DIR);
        openWindow();
    }

    void cleanupTestCase()
    {
        if (m_desk && !m_runId.isEmpty())
            m_desk->session().runs().stop(m_runId, {false});
        m_desk.reset();
    }

    void showsWhatWasLaunchedLive()
    {
        RunSpec spec = tinySpec(m_cli.dataset(), 2, 100'000);
        spec.checkpoint.everySteps = 0;
        spec.cluster.nodes.front().hardware = "cpu-node";
        m_desk->session().runs().launch(spec);
        connect(&m_desk->session().runs(), &RunService::runLaunched, this,
                [this](const QString& id) { m_runId = id; });
        AWAIT(!m_runId.isEmpty());
        m_desk->showRun(m_runId);
        AWAIT(run() && steps() >= 5);
        AWAIT_EQUAL(run()->link(), RunLink::Live);
        AWAIT(!run()->series().devices().empty());
        AWAIT(run()->facts().dataSet.has_value());
        QCOMPARE(run()->facts().dataSet->sequenceLength, 64);
    }

    void standsBesideItsPlan()
    {
        view().panels().showPanel(*view().findChild<PlanTab*>());
        AWAIT(shows("Planned for cpu-node"));
        const PlanComparison comparison = comparePlan(run()->facts(), run()->series(),
                                                      planOf(run()->facts(), m_desk->session().hardware()));
        QCOMPARE(comparison.memory.size(), 2);
        for (const DeviceMemory& rank : comparison.memory) {
            const auto measured = [&](MemoryCategory category) {
                return rank.categories[std::size_t(category)];
            };
            const auto planned = [&](MemoryCategory category) {
                return (*rank.planned)[std::size_t(category)];
            };
            QCOMPARE(measured(MemoryCategory::Weights), planned(MemoryCategory::Weights));
            QCOMPARE(measured(MemoryCategory::Gradients), planned(MemoryCategory::Gradients));
            // So small a model holds most while it updates: what that takes in passing comes on top.
            QVERIFY(measured(MemoryCategory::Optimizer) >= planned(MemoryCategory::Optimizer));
        }
        QVERIFY(comparison.planned->stepSeconds > 0);
        for (const CommonCause cause : {CommonCause::Compute, CommonCause::DataParallel})
            QVERIFY(comparison.measured->byCause[std::size_t(cause)] > 0);
    }

    void publishesACheckpointNow()
    {
        QVERIFY(!QFile::exists(latestCheckpoint()));
        click("Checkpoint now");
        AWAIT_EQUAL(eventsOfKind("checkpoint-published"), 1);
        QVERIFY(QFile::exists(latestCheckpoint()));
        const auto before = steps();
        AWAIT(steps() > before);
        AWAIT(shows("Saved the checkpoint of step"));
    }

    void stopsWithAnotherCheckpoint()
    {
        click("Stop…");
        click("Stop the run");
        AWAIT_EQUAL(run()->series().status().state, RunState::Stopped);
        AWAIT(shows("Run stopped."));
        AWAIT_EQUAL(eventsOfKind("checkpoint-published"), 2);
    }

    void goesOnInTheSameCharts()
    {
        const auto before = steps();
        click("Resume");
        AWAIT(steps() > before + 3);
        AWAIT_EQUAL(run()->series().status().attempt, 2u);
        AWAIT_EQUAL(run()->displayState(QDateTime::currentMSecsSinceEpoch()), RunDisplayState::Running);
        AWAIT_EQUAL(run()->link(), RunLink::Live);
        QCOMPARE(qint64(steps()),
                 qint64(run()->series().steps().last(StepColumn::Step))); // none twice, none missing
    }

    void keepsItsMirrorUpToDateThroughoutAndFindsTheRunAgain()
    {
        click("Stop…");
        click("Stop the run");
        AWAIT_EQUAL(run()->series().status().state, RunState::Stopped);
        for (const char* stream : {"steps", "run"}) {
            const QString name = QStringLiteral("/runs/%1/journal/%2").arg(m_runId, stream);
            AWAIT_EQUAL(contentOf(m_cli.path("desk" + name)).size(),
                        contentOf(m_cli.path("home" + name)).size());
            QCOMPARE(contentOf(m_cli.path("desk" + name)), contentOf(m_cli.path("home" + name)));
        }
        const auto all = steps();
        openWindow();
        m_desk->showRun(m_runId);
        QVERIFY(run());
        QCOMPARE(steps(), all);
    }

    void goesBackToAnOlderCheckpoint()
    {
        view().panels().showPanel(*view().findChild<CheckpointsTab*>());
        AWAIT_EQUAL(checkpoints().rowCount(), 2); // as many as are kept
        QCOMPARE(cell(0, CheckpointListModel::Latest), QString("✓ yes"));
        click("Verify");
        AWAIT_EQUAL(cell(1, CheckpointListModel::Verified), QString("✓ yes"));
        QCOMPARE(cell(0, CheckpointListModel::State), QString("● complete"));
        const QString newest = cell(0, CheckpointListModel::Step);
        const QString older = cell(1, CheckpointListModel::Step);
        table().selectRow(1);
        click("Resume from this checkpoint");
        AWAIT(shows("The later checkpoint becomes an abandoned branch: step " + newest + "."));
        click("Resume from step " + older);
        AWAIT_EQUAL(run()->series().status().attempt, 3u);
        AWAIT_EQUAL(cell(0, CheckpointListModel::State), QString("◌ abandoned"));
        QCOMPARE(cell(0, CheckpointListModel::Step), newest);
        QCOMPARE(cell(1, CheckpointListModel::Latest), QString("✓ yes"));
        click("Stop…");
        click("Stop the run");
        AWAIT_EQUAL(run()->series().status().state, RunState::Stopped);
        AWAIT(checkpoints().rowCount() == 3); // that of the stop is listed by itself
    }

private:
    QTableView& table() { return *view().findChild<CheckpointsTab*>()->findChild<QTableView*>(); }
    const QAbstractItemModel& checkpoints() { return *table().model(); }
    QString cell(int row, int column) { return checkpoints().index(row, column).data().toString(); }

    void openWindow()
    {
        m_desk.reset();
        m_desk = std::make_unique<DeskWindow>(*qApp, m_cli.path("desk").toStdString());
        m_desk->window().show();
        QVERIFY(QTest::qWaitForWindowExposed(&m_desk->window(), kPatienceMs));
    }
    RunView& view() { return *m_desk->window().findChild<RunView*>(); }
    OpenRun* run() { return view().run(); }
    qsizetype steps() { return run()->series().steps().size(); }
    QString latestCheckpoint() const { return m_cli.path("home/runs/" + m_runId + "/checkpoints/latest"); }

    qsizetype eventsOfKind(const std::string& kind)
    {
        const auto& events = run()->series().events();
        return std::count_if(events.begin(), events.end(),
                             [&](const RunEvent& event) { return event.event.kind == kind; });
    }
    QPushButton* button(const QString& text)
    {
        for (QPushButton* button : view().findChildren<QPushButton*>()) {
            if (button->isVisible() && button->text() == text)
                return button;
        }
        return nullptr;
    }
    void click(const QString& text)
    {
        AWAIT(button(text) && button(text)->isEnabled());
        QTest::mouseClick(button(text), Qt::LeftButton);
    }
    bool shows(const QString& beginning)
    {
        const auto labels = view().findChildren<QLabel*>();
        return std::any_of(labels.begin(), labels.end(), [&](QLabel* label) {
            return label->isVisible() && label->text().startsWith(beginning);
        });
    }

    CliFixture m_cli;
    QString m_runId;
    std::unique_ptr<DeskWindow> m_desk;
};

QTEST_MAIN(TestRunInWindow)
#include "tst_run_in_window.moc"
