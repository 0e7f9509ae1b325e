#include <QApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

#include "app/alerts/alert_actions.h"
#include "app/monitor/checkpoints_tab.h"
#include "app/monitor/device_board.h"
#include "app/monitor/events_tab.h"
#include "app/monitor/log_tab.h"
#include "app/monitor/run_view.h"
#include "app/monitor/runs_page.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/panel_area.h"
#include "remote/launch/run_service.h"
#include "tests/gui/pictures/picture_runs.h"
#include "tests/gui/pictures/run_views.h"

namespace trainyard::pictures {

namespace {

const QString kGone = QStringLiteral("20260301T070000Z-long-ago-0b0b");

void unfoldThresholds(QWidget& view, bool unfolded)
{
    for (auto* fold : view.findChild<EventsTab*>()->findChildren<QToolButton*>()) {
        if (fold->text() == EventsTab::tr("Thresholds"))
            fold->setChecked(unfolded);
    }
}

void showLive(DeskWindow& desk, const char* panel, RunLink link = RunLink::Live)
{
    desk.session().runStore().open(kLive).value()->setLink(link);
    showRun(desk, kLive, panel);
}

void showLogOfAll(DeskWindow& desk)
{
    showLive(desk, Log);
    for (auto* field : desk.window().findChild<LogTab*>()->findChildren<QLineEdit*>()) {
        if (field->accessibleName() != LogTab::tr("Ranks"))
            continue;
        field->setText(QStringLiteral("all"));
        emit field->editingFinished();
    }
}

void press(QWidget& parent, const QString& text)
{
    for (auto* button : parent.findChildren<QPushButton*>()) {
        if (button->isVisible() && button->text() == text)
            return button->click();
    }
}

void showChosenDevice(DeskWindow& desk)
{
    showLive(desk, Devices);
    auto* board = desk.window().findChild<DeviceBoard*>();
    QMouseEvent click(QEvent::MouseButtonPress, QPointF(20, 20), board->mapToGlobal(QPointF(20, 20)),
                      Qt::LeftButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(board, &click);
}

void showStopQuestion(DeskWindow& desk)
{
    showLive(desk, Charts);
    press(*desk.window().findChild<RunView*>(), RunView::tr("Stop…"));
}

void showThresholds(DeskWindow& desk)
{
    showLive(desk, Events);
    unfoldThresholds(*desk.window().findChild<RunView*>(), true);
}

void showLowerRate(DeskWindow& desk)
{
    showRun(desk, kDiverged, Events);
    QCoreApplication::processEvents(); // the alert is shown once the panel is laid out
    press(*desk.window().findChild<RunView*>(), labelOf(AlertAction::LowerRate));
}

RunCheckpoint checkpointOf(qint64 step, const QString& suffix, const QString& state, const QString& reason)
{
    RunCheckpoint checkpoint;
    checkpoint.step = step;
    checkpoint.folder = QStringLiteral("step-%1%2").arg(step, 9, 10, QLatin1Char('0')).arg(suffix);
    checkpoint.state = state;
    checkpoint.reason = reason;
    checkpoint.bytes = 4'061'331'456;
    return checkpoint;
}

/// Of every kind.
QList<RunCheckpoint> checkpointsOfEveryKind()
{
    QList<RunCheckpoint> all{
        checkpointOf(600, {}, "damaged",
                     "/home/trainer/.trainyard/runs/" + kDiverged +
                         "/checkpoints/step-000000600/shard-0003-of-0004.safetensors has 812 646 400 bytes, "
                         "but the manifest tells of 1 015 332 864; the last 202 686 464 bytes, in which "
                         "optimizer/exp_avg_sq/bert.encoder.layer.23.output.dense.weight lies, are missing"),
        checkpointOf(560, {}, "whole", {}),
        checkpointOf(500, {}, "unreadable", "manifest.json: Stale file handle"),
        checkpointOf(480, ".line-1", "abandoned", "the run has left branch 1"),
        checkpointOf(400, {}, "whole", {}),
        checkpointOf(400, ".damaged", "damaged", "set aside: manifest.json differs from its hash"),
        checkpointOf(300, {}, "whole", {}),
    };
    all[0].latest = true;
    all[1].next = true;
    all[4].best = true;
    all[1].verified = all[4].verified = true;
    return all;
}

/// As if the run's head had answered.
void showCheckpoints(DeskWindow& desk, const Result<QList<RunCheckpoint>>& listed)
{
    showRun(desk, kDiverged, Checkpoints);
    QCoreApplication::processEvents(); // it is laid out, and asks hosts that there are not
    auto* tab = desk.window().findChild<CheckpointsTab*>();
    tab->show(**desk.session().runStore().open(kDiverged), true);
    tab->take(QList<RunCheckpoint>()); // not those of the picture before
    tab->take(listed);
}

void chooseCheckpoint(DeskWindow& desk, int row)
{
    showCheckpoints(desk, checkpointsOfEveryKind());
    desk.window().findChild<CheckpointsTab*>()->findChild<QTableView*>()->selectRow(row);
}

void showWayBack(DeskWindow& desk)
{
    chooseCheckpoint(desk, 4);
    press(*desk.window().findChild<RunView*>(), CheckpointsTab::tr("Resume from this checkpoint"));
}

void showGone(DeskWindow& desk)
{
    RunEntry gone;
    gone.id = kGone;
    gone.name = QStringLiteral("long-ago");
    gone.state = RunState::Finished;
    (void)desk.session().runStore().history().store(gone).ok();
    placeOf<RunsPage>(desk).showRun(kGone);
}

void showEndOfDemo(DeskWindow& desk)
{
    showRun(desk, studyId(2), Charts);
    placeOf<RunsPage>(desk).offerNextSteps(studyId(2));
}

QList<Picture> runPagePictures()
{
    return {
        {"runs", [](DeskWindow& desk) { showLive(desk, Charts); }},
        {"runs-devices", [](DeskWindow& desk) { showLive(desk, Devices); }},
        {"runs-device-chosen", showChosenDevice},
        {"runs-experts", [](DeskWindow& desk) { showRun(desk, kMixture, Devices); }},
        {"runs-timeline", [](DeskWindow& desk) { showLive(desk, Timeline); }},
        {"runs-timeline-64", [](DeskWindow& desk) { showRun(desk, kFailed, Timeline); }},
        {"runs-scaling", [](DeskWindow& desk) { showRun(desk, studyId(4), Scaling); }},
        {"runs-scaling-none", [](DeskWindow& desk) { showRun(desk, kFailed, Scaling); }},
        {"runs-plan", [](DeskWindow& desk) { showLive(desk, Plan); }},
        {"runs-plan-unknown", [](DeskWindow& desk) { showRun(desk, kFailed, Plan); }},
        {"runs-log", [](DeskWindow& desk) { showLive(desk, Log); }},
        {"runs-log-all", showLogOfAll},
        {"runs-events", [](DeskWindow& desk) { showLive(desk, Events); }},
        {"runs-thresholds", showThresholds},
        {"runs-diverged", [](DeskWindow& desk) { showRun(desk, kDiverged, Events); }},
        {"runs-lower-rate", showLowerRate},
        {"runs-overfitted", [](DeskWindow& desk) { showRun(desk, kOverfitted, Charts); }},
        {"runs-overfitted-events", [](DeskWindow& desk) { showRun(desk, kOverfitted, Events); }},
        {"runs-target", [](DeskWindow& desk) { showRun(desk, kReached, Charts); }},
        {"runs-phases", [](DeskWindow& desk) { showRun(desk, kPhased, Charts); }},
        {"runs-phases-plan", [](DeskWindow& desk) { showRun(desk, kPhased, Plan); }},
        {"runs-checkpoints", [](DeskWindow& desk) { showCheckpoints(desk, checkpointsOfEveryKind()); }},
        {"runs-checkpoints-damaged", [](DeskWindow& desk) { chooseCheckpoint(desk, 0); }},
        {"runs-checkpoints-back", showWayBack},
        {"runs-checkpoints-none", [](DeskWindow& desk) { showCheckpoints(desk, QList<RunCheckpoint>()); }},
        {"runs-checkpoints-unreachable",
         [](DeskWindow& desk) {
             showCheckpoints(desk, unreachable("gpu-03.cluster.example.org: no route to host"));
         }},
        {"runs-specification", [](DeskWindow& desk) { showLive(desk, Specification); }},
        {"runs-notes", [](DeskWindow& desk) { showLive(desk, Notes); }},
        {"runs-stop", showStopQuestion},
        {"runs-link-lost", [](DeskWindow& desk) { showLive(desk, Charts, RunLink::Lost); }},
        {"runs-link-behind", [](DeskWindow& desk) { showLive(desk, Charts, RunLink::CatchingUp); }},
        {"runs-failed", [](DeskWindow& desk) { showRun(desk, kFailed, Charts); }},
        {"runs-failed-devices", [](DeskWindow& desk) { showRun(desk, kFailed, Devices); }},
        {"runs-failed-events", [](DeskWindow& desk) { showRun(desk, kFailed, Events); }},
        {"runs-resumed", [](DeskWindow& desk) { showRun(desk, kResumed, Charts); }},
        {"runs-plan-resumed", [](DeskWindow& desk) { showRun(desk, kResumed, Plan); }},
        {"runs-demo-end", showEndOfDemo},
        {"runs-task", [](DeskWindow& desk) { showRun(desk, kClassifies, Charts); }},
        {"runs-stopped", [](DeskWindow& desk) { showRun(desk, kStopped, Charts); }},
        {"runs-gone", showGone}};
}

} // namespace

void showRun(DeskWindow& desk, const QString& id, const char* panel)
{
    auto& page = placeOf<RunsPage>(desk);
    page.showRun(id);
    for (auto* messages : page.findChildren<MessageBar*>())
        messages->clear();
    auto* view = page.findChild<RunView*>();
    unfoldThresholds(*view, false);
    PanelArea& panels = view->panels();
    panels.showPanel(*panels.panel(QLatin1String(panel)));
}

void forgetGone(DeskWindow& desk)
{
    (void)desk.session().runStore().history().remove(kGone).ok();
}

const QList<Picture>& runPictures()
{
    static const QList<Picture> list = runPagePictures() + historyPictures() + trialPictures();
    return list;
}

} // namespace trainyard::pictures
