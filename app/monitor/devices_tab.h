#pragma once

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;

namespace trainyard {

class DeviceBoard;
class OpenRun;

/// The board of all ranks with its legends, and the figures of the chosen one below.
class DevicesTab : public QWidget {
    Q_OBJECT

public:
    explicit DevicesTab(QWidget* parent = nullptr);
    void show(const OpenRun& run);

signals:
    void logWanted(int rank);

private:
    QWidget* buildBoard();
    void describe();

    const OpenRun* m_run = nullptr;
    QStackedWidget* m_pages;
    DeviceBoard* m_board;
    QLabel* m_hosts;
    QLabel* m_detail;
    QPushButton* m_showLog;
};

} // namespace trainyard
