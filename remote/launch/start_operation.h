#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QList>

#include "remote/launch/data_set_supply.h"
#include "remote/launch/engine_deployment.h"
#include "remote/launch/rollback.h"
#include "remote/launch/run_data_sets.h"
#include "remote/launch/run_judge.h"
#include "remote/launch/run_operation.h"
#include "remote/launch/start_plan.h"
#include "remote/launch/weights_upload.h"
#include "remote/preflight/preflight.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Starts a run: links up → preflight of the hosts and of the links between them → engine there → data sets
/// found on all of them, or sent there → model and memory fit → weights of section init found and comparable
/// → run directories created → where the layout splits the model, whether the hosts share a folder → weights
/// that only this computer has sent to the head → supervisor started on the head → device samplers started.
/// With Slurm the one host is the login host: it is asked whether it would accept the job before anything is
/// sent, and a batch job starts instead of a supervisor.
///
///     Starting ──all done──▶ Over
///        └──failed, cancelled──▶ RollingBack ──▶ Over
///
/// Rolling back waits for pending answers, ends the run on every host that was asked to start it, removes it
/// there, and then deletes the local record, unless a host may still have the run.
class StartOperation : public RunOperation {
    Q_OBJECT

public:
    StartOperation(StartPlan plan, TargetPool& targets, QObject* parent);
    void start();
    void cancel() override;
    void acceptOffer() override;

private:
    enum class State { Starting, RollingBack, Over };

    /// Reports the stage to the user; returns false when the start has ended, possibly in response to that
    /// report.
    bool enter(const QString& stage);
    QString addressThatMpiRefuses() const;
    void onReady();
    void findAttempt();
    RunJudge judgement() const { return {m_plan, m_probes}; }
    void askSlurm();
    void deploy();
    void onDeployed();
    void inspect();
    void onInspected(const PreflightReport& report);
    void findDataSet();
    void onDataSets(const Result<SuppliedDataSets>& supplied);
    void judge();
    void findWeights();
    void findWeightsHere();
    void judgeWeights(const WeightDescription& stored);
    void keep();
    void makeRun();
    Status keepOnDesk() const;
    void findSharedFolder();
    void sendWeights();
    void launch();
    void onAnswered(const Result<QJsonObject>& reply);
    void launchAgain();
    void onLaunched(const QJsonObject& reply);
    void attend();
    /// Asks every host for a change that must be rolled back when the start ends before all have answered.
    void askAll(const std::function<QJsonObject(int node)>& request,
                std::function<void(const HostGroup::Answers&)> then);
    bool goesOnAfterAnswer();
    void fail(const Error& error);
    void rollBack();
    void onRolledBack(const Status& gone);
    void succeed();
    void finish(const Result<QString>& result) override;
    QJsonArray nodesForLaunch() const;

    StartPlan m_plan;
    TargetPool& m_targets;
    std::unique_ptr<Preflight> m_preflight;
    PreflightReport m_found;
    HostGroup m_group;
    std::unique_ptr<EngineDeployment> m_deployment;
    std::vector<QJsonObject> m_probes;
    std::vector<std::filesystem::path>
        m_weightFiles;           ///< of this computer, to be sent; empty: the host has them
    QList<int> m_weightNodes{0}; ///< still to be sent to
    std::unique_ptr<WeightsUpload> m_upload;
    std::unique_ptr<DataSetSupply> m_supply;
    RunDataSets m_dataSets;
    State m_state = State::Starting;
    std::optional<Error> m_failure; ///< why it is taken back
    std::unique_ptr<Rollback> m_rollback;
    bool m_isOnHosts = false; ///< they may have something that is to be taken back
    QStringList m_awaited;    ///< hosts whose answers are under way
};

} // namespace trainyard
