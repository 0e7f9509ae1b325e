#pragma once

#include <filesystem>

#include <QObject>

#include "app/alerts/alert_center.h"
#include "app/data/model/data_set_list_model.h"
#include "app/data/model/data_set_verifier.h"
#include "app/data/model/prepare_job.h"
#include "app/designer/model/spec_document.h"
#include "app/hosts/model/host_calibration.h"
#include "app/hosts/model/host_checks.h"
#include "app/hosts/model/host_list_model.h"
#include "app/monitor/remote_run_hosts.h"
#include "app/plan/hardware_library.h"
#include "app/runs/run_store.h"
#include "remote/launch/run_service.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// The state shared by all pages: links, runs, saved lists, the edited specification. Lives as long as the
/// window. Changes of lists are written to the data folder at once, the specification a moment later.
class Session : public QObject {
    Q_OBJECT
public:
    /// `dataFolder` as dataDir() gives it.
    explicit Session(std::filesystem::path dataFolder, TargetOptions options = {}, QObject* parent = nullptr);

    const std::filesystem::path& dataFolder() const { return m_dataFolder; }
    TargetPool& targets() { return m_targets; }
    RunService& runs() { return m_runs; }
    RunStore& runStore() { return *m_runStore; }
    AlertCenter& alerts() { return *m_alerts; }
    HostListModel& hosts() { return m_hosts; }
    HostChecks& hostChecks() { return m_hostChecks; }
    HostCalibration& hostCalibration() { return m_hostCalibration; }
    DataSetListModel& dataSets() { return m_dataSets; }
    DataSetVerifier& verifier() { return m_verifier; }
    PrepareJob& prepareJob() { return m_prepareJob; }
    SpecDocument& document() { return m_document; }
    const HardwareLibrary& hardware() const { return m_hardware; }
    /// Problems while loading: one sentence each, for the status bar.
    const QStringList& startupProblems() const { return m_startupProblems; }

signals:
    /// A list or the specification could not be written.
    void saveFailed(const trainyard::Error& error);

private:
    void loadLists();
    bool maySave(const Status& loaded);
    void loadDesign();
    void openHistory();
    void saveHostList();
    void saveDataSets();

    std::filesystem::path m_dataFolder;
    HardwareLibrary m_hardware;
    TargetPool m_targets;
    RunService m_runs;
    HostListModel m_hosts;
    HostChecks m_hostChecks;
    HostCalibration m_hostCalibration;
    DataSetListModel m_dataSets;
    DataSetVerifier m_verifier;
    PrepareJob m_prepareJob;
    RemoteRunHosts m_runHosts;
    std::unique_ptr<RunDatabase> m_history;
    std::unique_ptr<RunStore> m_runStore;
    std::unique_ptr<AlertCenter> m_alerts;
    SpecDocument m_document;
    DesignDraft m_draft;
    QStringList m_startupProblems;
};

} // namespace trainyard
