#pragma once

#include <QFrame>

#include "app/hosts/model/host_entry.h"

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class EmptyState;
class PreflightModel;
class StateChip;
class TableView;

/// Shows the findings and fixes of a host's last check, with buttons to check again, cancel and remove.
class PreflightPanel : public QFrame {
    Q_OBJECT
public:
    explicit PreflightPanel(QWidget* parent = nullptr);

    void showHost(const HostEntry& host);

signals:
    void checkRequested();
    void cancelRequested();
    void removeRequested();

private:
    void showRows(const HostEntry& host);

    QLabel* m_name;
    StateChip* m_state;
    QLabel* m_activity;
    QPushButton* m_check;
    QPushButton* m_cancel;
    QPushButton* m_remove;
    PreflightModel* m_rows;
    TableView* m_table;
    QLabel* m_placeholder;
    QStackedWidget* m_content;
};

} // namespace trainyard
