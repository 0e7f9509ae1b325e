#pragma once

#include <vector>

#include <QWidget>

#include "engine/base/result.h"
#include "engine/records/flight_ring.h"
#include "engine/records/record.h"

class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace trainyard {

class AlertCenter;
class DeviceBoard;
class ExpertPanel;
class OpenRun;
class RunHosts;

/// The board of all ranks with its legends, and the details of the selected rank below.
class DevicesTab : public QWidget {
    Q_OBJECT

public:
    /// `hosts` may be null, which disables queries to ranks. Both must outlive the tab.
    DevicesTab(RunHosts* hosts, AlertCenter& alerts, QWidget* parent = nullptr);
    void show(const OpenRun& run);
    void setRank(int rank);

signals:
    void logWanted(int rank);

private:
    QWidget* buildHead();
    QWidget* buildBoard();
    QWidget* buildDetail();
    void onCurrent(int rank);
    void describe();
    void readRing();
    void showRing(const Result<FlightSnapshot>& ring);

    RunHosts* m_hostsOfRuns;
    AlertCenter& m_alerts;
    const OpenRun* m_run = nullptr;
    QString m_runId;                         ///< run of the plan in m_planned
    std::uint32_t m_plannedAttempt = 0;      ///< attempt of the plan; 0 = none
    int m_plannedPhase = 0;                  ///< phase of the plan
    std::vector<MemoryByCategory> m_planned; ///< planned peak by rank
    QStackedWidget* m_pages;
    QScrollArea* m_scroll;
    DeviceBoard* m_board;
    QLabel* m_hosts;
    QLabel* m_name;
    QLabel* m_detail;
    QLabel* m_ring;
    QPushButton* m_showLog;
    QPushButton* m_askAgain;
    ExpertPanel* m_experts; ///< hidden where no experts were counted
};

} // namespace trainyard
