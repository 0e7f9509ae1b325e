#pragma once

#include <QWidget>

#include "app/models/event_list_model.h"

class QStackedWidget;

namespace trainyard {

class OpenRun;
class TableView;

/// What happened in a run, the newest in view unless one has scrolled away.
class EventsTab : public QWidget {
    Q_OBJECT

public:
    explicit EventsTab(QWidget* parent = nullptr);
    void show(const OpenRun& run);

private:
    EventListModel m_model;
    QStackedWidget* m_pages;
    TableView* m_table;
};

} // namespace trainyard
