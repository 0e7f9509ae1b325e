#pragma once

#include "app/models/host_checks.h"
#include "app/models/host_list_model.h"
#include "app/widgets/place.h"

class QPushButton;

namespace trainyard {

class AddHostBar;
class ChangedKeyStrip;
class HostKeyStrip;
class PageFrame;
class PreflightPanel;
class TableView;

/// The place where machines are added, checked and removed.
class HostsPlace : public Place {
    Q_OBJECT
public:
    HostsPlace(HostListModel& hosts, HostChecks& checks, QWidget* parent = nullptr);

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
    void updateLinksButton();
    QStringList selectedHosts() const;
    void addHost(const QString& name);
    void removeCurrent();
    void showCurrent();
    void updateSubtitle();
    QString currentHost() const;

    HostListModel& m_hosts;
    HostChecks& m_checks;
    PageFrame* m_page;
    HostKeyStrip* m_keyStrip;
    ChangedKeyStrip* m_changedKeys;
    AddHostBar* m_addBar;
    TableView* m_table;
    PreflightPanel* m_preflight;
    QPushButton* m_links; ///< tries the links between the selected hosts
};

} // namespace trainyard
