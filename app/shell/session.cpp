#include "app/shell/session.h"

#include "app/hosts/model/host_store.h"
#include "engine/base/file.h"
#include "engine/spec/presets.h"

namespace trainyard {

Session::Session(std::filesystem::path dataFolder, TargetOptions options, QObject* parent)
    : QObject(parent)
    , m_dataFolder(std::move(dataFolder))
    , m_hardware(m_dataFolder / "hardware")
    , m_targets(std::move(options))
    , m_runs(m_targets)
    , m_hostChecks(m_hosts, m_targets)
    , m_hostCalibration(m_runs, m_hardware)
    , m_verifier(m_runs)
    , m_prepareJob(m_runs)
    , m_runHosts(m_runs)
    , m_draft(m_document, m_dataFolder / "design.json")
{
    if (const Status made = makeFolder(m_dataFolder); !made.ok())
        m_startupProblems << QString::fromStdString(made.error().text());
    loadLists();
    loadDesign();
    openHistory();
    // Starting a run may have sent the engine to its hosts.
    connect(&m_runs, &RunService::runLaunched, this, [this](const QString& id) {
        const auto run = loadDeskRun(id);
        for (const QString& host : run.ok() ? run->hosts : QStringList())
            m_hostChecks.askForEngine(host);
    });
}

void Session::loadDesign()
{
    RunSpec first;
    first.model = modelPreset("bert-tiny").value_or(first.model);
    m_document.reset(first);
    if (const Status restored = m_draft.restore(); !restored.ok())
        m_startupProblems << QString::fromStdString(restored.error().text());
    connect(&m_draft, &DesignDraft::failed, this, &Session::saveFailed);
}

void Session::openHistory()
{
    const auto orElse = [this](const Error& error) {
        m_startupProblems << QString::fromStdString(error.text());
        return RunDatabase::open(QStringLiteral(":memory:")).value(); // the runs can be watched all the same
    };
    if (const Status made = makeFolder(m_dataFolder / "runs"); !made.ok())
        m_startupProblems << QString::fromStdString(made.error().text());
    auto history = RunDatabase::open(QString::fromStdString((m_dataFolder / "history.db").string()));
    m_history = history.ok() ? std::move(history).value() : orElse(history.error());
    m_runStore = std::make_unique<RunStore>(
        *m_history, QString::fromStdString((m_dataFolder / "runs").string()), &m_runHosts);
    m_alerts = std::make_unique<AlertCenter>(*m_runStore, m_dataFolder / "alerts.json");
    if (!m_alerts->problem().isEmpty())
        m_startupProblems << m_alerts->problem();
}

void Session::loadLists()
{
    const auto hosts = loadHosts(m_dataFolder / "hosts.json");
    for (const QString& name : hosts.ok() ? *hosts : QStringList()) {
        HostEntry host;
        host.name = name;
        if (const Status added = m_hosts.add(host); !added.ok())
            m_startupProblems << QString::fromStdString(added.error().text());
    }
    if (maySave(hosts.ok() ? Status() : hosts.error()))
        connect(&m_hosts, &HostListModel::membersChanged, this, &Session::saveHostList);
    if (maySave(m_dataSets.load(m_dataFolder / "datasets.json")))
        connect(&m_dataSets, &DataSetListModel::entriesChanged, this, &Session::saveDataSets);
}

/// Tells of a list that could not be read. A damaged one is set aside when it is saved anew (desk_file.h);
/// any other stays as it is.
bool Session::maySave(const Status& loaded)
{
    if (loaded.ok())
        return true;
    m_startupProblems << QString::fromStdString(loaded.error().text());
    return loaded.error().kind == ErrorKind::BadInput;
}

void Session::saveHostList()
{
    if (const Status saved = saveHosts(m_dataFolder / "hosts.json", m_hosts.names().mid(1)); !saved.ok())
        emit saveFailed(saved.error());
}

void Session::saveDataSets()
{
    if (const Status saved = m_dataSets.save(m_dataFolder / "datasets.json"); !saved.ok())
        emit saveFailed(saved.error());
}

} // namespace trainyard
