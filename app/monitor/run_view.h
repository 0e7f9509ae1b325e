#pragma once

#include <cstdint>
#include <optional>

#include <QPointer>
#include <QWidget>

#include "app/alerts/alert_actions.h"
#include "app/base/pool_work.h"
#include "app/monitor/model/recorded_trace.h"
#include "app/runs/open_run.h"

class QPushButton;
class QUndoStack;

namespace trainyard {

class AlertCenter;
class ChartsTab;
class CheckpointsTab;
class DevicesTab;
class EventsTab;
class HardwareLibrary;
class LogTab;
class MessageBar;
class RunHeader;
class NotesTab;
class PanelArea;
class PlanTab;
class RunStore;
class RunHosts;
class ScalingTab;
class SpecTab;
class TimelineTab;
struct ResumeChanges;

/// Shows one run: header, message bar and panels. Updates visible panels only.
class RunView : public QWidget {
    Q_OBJECT

public:
    /// Without hosts in the store no request to the run is possible. `undo` records layout changes. All
    /// arguments must outlive the view.
    RunView(RunStore& store, AlertCenter& alerts, const HardwareLibrary& hardware, QUndoStack& undo,
            QWidget* parent = nullptr);

    void setRun(OpenRun* run);
    OpenRun* run() const { return m_run; }
    PanelArea& panels() { return *m_panels; }
    /// Shows the alerts and events of the run.
    void showEvents();
    /// Shows a recorded trace, of this run or another, in the panel Timeline.
    void openTrace(const QString& file);
    /// Updates the header and the visible panels.
    void update();
    /// Queries the run's hosts for data that they do not push.
    void refresh();

signals:
    /// A new attempt was started and must be followed.
    void resumed(const QString& runId);
    /// Asks to try the run's checkpoint of this step on a text.
    void trialWanted(const QString& runId, std::optional<qint64> step);
    /// Asks to export the run's checkpoint of this step as a model.
    void exportWanted(const QString& runId, qint64 step);

private:
    void addPanels();
    void connectPanels();
    void updatePanels();
    void showLog(int rank);
    void showDevice(int rank);
    bool canAct() const { return m_hosts && !m_acting; }
    void act(AlertAction action, const Alert& alert);
    void confirmStop();
    void confirmKill();
    void askForRate(const Alert& alert);
    /// Adds a field for the run's name to the strip; `button` is enabled only while the name is entered.
    void demandName(QPushButton& button);
    void stop(bool keep);
    void resume(double learningRate);
    void resumeFrom(qint64 step);
    void resumeWith(const ResumeChanges& changes, const QString& done);
    /// Resumes from the checkpoint of this step; asks first when later checkpoints become an abandoned
    /// branch.
    void goBack(qint64 step, const QString& abandoned);
    void killAndResume(double learningRate);
    void checkpoint();
    void reportCheckpoint();
    void recordSteps();
    void reportTrace(const QString& runId, const Result<QString>& file);
    struct ReadTrace {
        QString file;
        Result<RecordedTrace> trace;
    };
    void onTraceRead(const ReadTrace& read);
    void showProblem();
    struct RunReply reply(const QString& doing, const QString& done);

    RunHosts* m_hosts;
    AlertCenter& m_alerts;
    QPointer<OpenRun> m_run;
    LatestJob<ReadTrace> m_readTrace;
    bool m_acting = false;
    QString m_shownProblem;                     ///< last problem of the run that was shown
    std::optional<std::int64_t> m_awaitedSince; ///< newest checkpoint when another one was requested
    RunHeader* m_header;
    MessageBar* m_strip;
    PanelArea* m_panels;
    ChartsTab* m_charts;
    DevicesTab* m_devices;
    TimelineTab* m_timeline;
    PlanTab* m_plan;
    ScalingTab* m_scaling;
    LogTab* m_log;
    EventsTab* m_events;
    CheckpointsTab* m_checkpoints;
    NotesTab* m_notes;
    SpecTab* m_spec;
};

} // namespace trainyard
