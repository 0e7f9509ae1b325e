#pragma once

#include <map>

#include "app/data/model/data_set_list_model.h"
#include "app/data/model/data_set_verifier.h"
#include "app/data/model/host_data_sets.h"
#include "app/data/model/prepare_job.h"
#include "app/hosts/model/host_list_model.h"
#include "app/workspace/page.h"

class QListView;
class QStackedWidget;

namespace trainyard {

class AddDataSetBar;
class DataSetPanel;
class HostDataSetsPanel;
struct DataSetManifest;
class PageFrame;
class PrepareForm;
class PreparePanel;

/// The page where dumps are prepared and data sets are inspected.
class DataPage : public Page {
    Q_OBJECT
public:
    struct Parts {
        DataSetListModel& dataSets;
        HostListModel& hosts;
        RunService& runs; ///< connects to the hosts of data sets
        PrepareJob& job;
        DataSetVerifier& verifier;
    };
    explicit DataPage(const Parts& parts, QWidget* parent = nullptr);

    void activate() override;
    /// Verifies the selected data set again.
    void refresh() override;
    /// Adds an existing data set of a host to the list; shows errors in the message bar.
    void addFolder(const QString& host, const QString& folder);
    void openPrepareForm();
    /// Shows this data set; does nothing if it is not in the list.
    void selectDataSet(const QString& host, const QString& folder);
    /// Lists the data sets that were sent to hosts.
    void openHostDataSets();

signals:
    void useInRunRequested(const trainyard::DataSetEntry& entry);

private:
    QWidget* makeList();
    QWidget* makeDetail();
    void connectJob();
    void connectHostDataSets();
    void askToRemoveFromHost(int row);
    void onJobState(PrepareJob::State state);
    void onPrepared(const Result<PrepareRequest>& result);
    void onVerified(const QString& host, const QString& folder, const Result<VerifyReport>& result);
    void showVerified(const Result<VerifyReport>& result);
    void showCurrent();
    bool isCurrent(const QString& host, const QString& folder) const;
    void loadDetails();
    void showDetails(const Result<QByteArray>& manifest);
    void loadSamples();
    void readSamples();
    void cancelCheck();
    void verifyCurrent();
    void removeCurrent();
    void take(const QString& host, const QString& folder, const Result<DataSetManifest>& manifest);
    int currentRow() const;

    DataSetListModel& m_dataSets;
    HostListModel& m_hosts;
    RunService& m_runs;
    PrepareJob& m_job;
    DataSetVerifier& m_verifier;
    PageFrame* m_page;
    AddDataSetBar* m_addBar;
    PreparePanel* m_progress;
    QListView* m_list;
    QStackedWidget* m_detail;
    DataSetPanel* m_panel;
    PrepareForm* m_form;
    HostDataSets m_hostDataSets;
    HostDataSetsPanel* m_onHosts;
    QStringList m_notices; ///< of the last preparation; kept after it has finished
    QString m_checking;    ///< place of the data set being read; empty = none
    std::map<QString, Result<VerifyReport>> m_reports; ///< of other hosts, by place(); expensive to recompute
};

} // namespace trainyard
