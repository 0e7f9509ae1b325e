#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QByteArray>
#include <QList>

#include "engine/planner/memory_fit.h"
#include "engine/spec/run_spec.h"
#include "remote/deploy/deployer.h"
#include "remote/launch/desk_run.h"
#include "remote/launch/host_group.h"
#include "remote/launch/run_operation.h"
#include "remote/preflight/preflight.h"

namespace trainyard {

/// What is to be started, and where.
struct StartPlan {
    DeskRun run;
    QByteArray document;         ///< spec.json or job.json, byte for byte
    std::optional<RunSpec> spec; ///< of a new training run, to be judged by what the hosts have
    QList<int> slotCounts;       ///< ranks on each node
    bool slurm = false;          ///< a batch job, submitted on the one host, whatever nodes it will get
    bool resume = false;         ///< the run is there already; its next attempt starts
};

/// Starts a run: links up → preflight of the hosts and of the links between them → engine there → data set
/// found → model and memory fit → run directories made → supervisor started on the head → device samplers
/// started. Whatever fails before the supervisor runs is taken back on every host. With Slurm the one host is
/// the login host: it is asked whether it would take the job before anything is sent, and in place of a
/// supervisor a batch job starts.
class StartOperation : public RunOperation {
    Q_OBJECT

public:
    StartOperation(StartPlan plan, TargetPool& targets, QObject* parent);
    void start();
    /// Ends with an error found before anything was asked.
    void refuse(const Error& error);
    void cancel() override;

private:
    void onReady();
    void findAttempt();
    bool usesDevices() const;
    void askSlurm();
    void deploy();
    void onDeployed();
    void inspect();
    void onInspected(const PreflightReport& report);
    void findDataSet();
    void judge();
    std::vector<NodeMemory> memoryOfNodes() const;
    int leastReplicasOfRun() const;
    void keep();
    void makeRun();
    Status keepOnDesk() const;
    void launch();
    void launchAgain();
    void onLaunched(const QJsonObject& reply);
    void attend();
    void fail(const Error& error);
    void takeBack(const Error& error);
    /// The same of every host, whatever they answer.
    void askAll(const QJsonObject& request, std::function<void()> done);
    void finish(const Result<QString>& result);
    QJsonArray nodesForLaunch() const;

    StartPlan m_plan;
    TargetPool& m_targets;
    std::unique_ptr<Preflight> m_preflight;
    PreflightReport m_found;
    HostGroup m_group;
    std::unique_ptr<Deployer> m_deployer;
    std::vector<QJsonObject> m_probes;
    QByteArray m_manifest; ///< of the data set
    bool m_madeOnHosts = false;
    bool m_launched = false;
    bool m_ended = false;
};

} // namespace trainyard
