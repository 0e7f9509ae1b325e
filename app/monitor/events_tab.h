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

/// What is wrong with a run now, with what can be done; below it what happened, the newest in view unless one
/// has scrolled away.
class EventsTab : public QWidget {
    Q_OBJECT

public:
    /// `alerts` must outlive the tab.
    explicit EventsTab(AlertCenter& alerts, QWidget* parent = nullptr);
    /// `canAct`: the run may be asked for something.
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
