#pragma once

#include <QFrame>
#include <QList>

#include "app/alerts/alert_center.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace trainyard {

class ElidedLabel;
class OpenRun;
class StateChip;

/// The header of a run: name, state, progress, data freshness and actions.
class RunHeader : public QFrame {
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    /// Shows the current state of `run`; `canAct`: requests to its hosts are allowed.
    void show(const OpenRun& run, qint64 nowMs, bool canAct);
    /// Shows the current alerts of the run.
    void showAlerts(const QList<RaisedAlert>& alerts);

signals:
    void stopWanted();
    void resumeWanted();
    void checkpointWanted();
    /// The user asked for the alerts.
    void alertsWanted();

private:
    void showMetrics(const OpenRun& run);
    void showTimes(const OpenRun& run);
    void showLink(const OpenRun& run, qint64 nowMs);

    ElidedLabel* m_name;
    ElidedLabel* m_where;
    ElidedLabel* m_phase; ///< hidden for a run without phases
    ElidedLabel* m_metrics;
    QLabel* m_reason;
    StateChip* m_state;
    QPushButton* m_alerts; ///< names the worst alert; hidden without alerts
    StateChip* m_link;
    QProgressBar* m_progress;
    ElidedLabel* m_times; ///< elapsed time and estimates, next to the progress
    QPushButton* m_checkpoint;
    QPushButton* m_resume;
    QPushButton* m_stop;
};

} // namespace trainyard
