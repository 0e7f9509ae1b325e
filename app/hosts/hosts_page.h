#pragma once

#include "app/hosts/model/host_calibration.h"
#include "app/hosts/model/host_checks.h"
#include "app/hosts/model/host_list_model.h"
#include "app/workspace/page.h"

class QPushButton;

namespace trainyard {

class AddHostBar;
class ChangedKeyStrip;
class HostKeyStrip;
class LinkMatrixPanel;
class PageFrame;
class PreflightPanel;
class TableView;

/// The page where hosts are added, checked, calibrated and removed.
class HostsPage : public Page {
    Q_OBJECT
public:
    HostsPage(HostListModel& hosts, HostChecks& checks, HostCalibration& calibration,
              QWidget* parent = nullptr);

    void activate() override;
    /// Checks every host again.
    void refresh() override;
    void selectHost(const QString& name);

private:
    QWidget* makeTablePanel();
    void connectChecks();
    void connectCluster();
    void checkLinks();
    void showLinks(const PreflightReport& report);
    void connectCalibration();
    void calibrate();
    void showCalibrated(const Result<NodeModel>& result);
    void updateButtons();
    void updateLinksButton();
    void updateCalibrateButton();
    QStringList selectedHosts() const;
    std::vector<HostEntry> hostsToCalibrate() const;
    void addHost(const QString& name);
    void removeCurrent();
    void showCurrent();
    void updateSubtitle();
    QString currentHost() const;

    HostListModel& m_hosts;
    HostChecks& m_checks;
    HostCalibration& m_calibration;
    PageFrame* m_page;
    HostKeyStrip* m_keyStrip;
    ChangedKeyStrip* m_changedKeys;
    AddHostBar* m_addBar;
    TableView* m_table;
    PreflightPanel* m_preflight;
    LinkMatrixPanel* m_matrix;
    QPushButton* m_links;     ///< tests the links between the selected hosts
    QPushButton* m_calibrate; ///< measures the selected hosts for planning
};

} // namespace trainyard
