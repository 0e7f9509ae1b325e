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

/// The head of a run: what it is, how it is, how far, how fresh what we see of it is, and what can be done.
class RunHeader : public QFrame {
    Q_OBJECT

public:
    explicit RunHeader(QWidget* parent = nullptr);

    /// Shows `run` as it is now; `canAct` = its hosts may be asked for something.
    void show(const OpenRun& run, qint64 nowMs, bool canAct);
    /// What is wrong with it now.
    void showAlerts(const QList<RaisedAlert>& alerts);

signals:
    void stopWanted();
    void resumeWanted();
    void checkpointWanted();
    /// The user wants to see what is wrong.
    void alertsWanted();

private:
    void showFigures(const OpenRun& run);
    void showTimes(const OpenRun& run);
    void showLink(const OpenRun& run, qint64 nowMs);

    ElidedLabel* m_name;
    ElidedLabel* m_where;
    ElidedLabel* m_figures;
    QLabel* m_reason;
    StateChip* m_state;
    QPushButton* m_alerts; ///< names the worst; hidden when nothing is wrong
    StateChip* m_link;
    QProgressBar* m_progress;
    ElidedLabel* m_times; ///< how long it trained, and what comes when; beside the progress
    QPushButton* m_checkpoint;
    QPushButton* m_resume;
    QPushButton* m_stop;
};

} // namespace trainyard
