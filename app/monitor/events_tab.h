#pragma once

#include <QWidget>

#include "app/alerts/alert_actions.h"
#include "app/monitor/model/event_list_model.h"

class QLabel;
class QScrollArea;
class QStackedWidget;
class QToolButton;

namespace trainyard {

class AlertCenter;
class AlertForm;
class AlertList;
class OpenRun;
class TableView;

/// Shows the alerts of a run with their actions, and its events below. Keeps the newest event in view unless
/// the user has scrolled away.
class EventsTab : public QWidget {
    Q_OBJECT

public:
    /// `alerts` must outlive the tab.
    explicit EventsTab(AlertCenter& alerts, QWidget* parent = nullptr);
    /// `canAct`: requests to the run are allowed.
    void show(const OpenRun& run, bool canAct);

protected:
    void resizeEvent(QResizeEvent* event) override;

signals:
    void wanted(trainyard::AlertAction action, const trainyard::Alert& alert);

private:
    QWidget* buildAlerts();
    void showAlerts(const OpenRun& run, bool canAct);
    void fitAlerts();

    AlertCenter& m_alerts;
    EventListModel m_model;
    QLabel* m_quiet;
    QToolButton* m_fold;
    AlertForm* m_form;
    AlertList* m_list;
    QScrollArea* m_scroll;
    QStackedWidget* m_pages;
    TableView* m_table;
};

} // namespace trainyard
