#pragma once

#include <memory>
#include <vector>

#include <QJsonObject>
#include <QObject>

#include "remote/launch/data_set_supply.h"
#include "remote/launch/engine_deployment.h"
#include "remote/launch/run_data_sets.h"
#include "remote/launch/run_judge.h"
#include "remote/launch/run_weights.h"
#include "remote/launch/start_plan.h"
#include "remote/preflight/preflight.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// What a start asks, and brings to the hosts, before it makes a run there; nothing of it has to be taken
/// back: the number of the attempt → preflight of the hosts and of the links between them → what Slurm says
/// → data sets found on all hosts, or sent there → model and memory fit → weights of section init found and
/// comparable → engine there. It completes the plan with what it finds: attempt, bundle, and the folders of
/// data sets. GUI thread; plan, hosts and targets outlive it.
class StartPreparation : public QObject {
    Q_OBJECT

public:
    StartPreparation(StartPlan& plan, HostGroup& hosts, TargetPool& targets);

    /// Once the links to all hosts are up.
    void start();
    /// Answers dataOffered(): the data sets are sent.
    void acceptOffer();
    /// Stops whatever goes on. finished() does not follow.
    void abandon();

    // After a finished() that is ok:
    const PreflightReport& found() const { return m_found; }
    /// Of the hosts, by node.
    const std::vector<QJsonObject>& probes() const { return m_probes; }
    const RunDataSets& dataSets() const { return m_dataSets; }
    RunJudge judgement() const { return {m_plan, m_probes}; }
    /// Null: the run begins without.
    RunWeights* weights() const { return m_weights.get(); }

signals:
    /// As those of RunOperation.
    void progress(const QString& text, double fraction);
    void planned(const QString& text);
    void noticed(const QString& text);
    void dataOffered(const trainyard::DataOffer& offer);
    /// Once, unless it was abandoned.
    void finished(const trainyard::Status& result);

private:
    /// Reports the stage to the user; returns false when it was abandoned, possibly in response to that.
    bool enter(const QString& stage);
    void findAttempt();
    void inspect();
    void onInspected(const PreflightReport& report);
    void askSlurm();
    void chooseEngine();
    void findDataSet();
    void onDataSets(const Result<SuppliedDataSets>& supplied);
    void judge();
    void findWeights();
    void deploy();
    void finish(const Status& result);

    StartPlan& m_plan;
    HostGroup& m_hosts;
    TargetPool& m_targets;
    std::unique_ptr<Preflight> m_preflight;
    PreflightReport m_found;
    bool m_jobRequestsGpus = false; ///< as Slurm is asked for
    std::vector<QJsonObject> m_probes;
    std::unique_ptr<EngineDeployment> m_deployment;
    std::unique_ptr<DataSetSupply> m_supply;
    RunDataSets m_dataSets;
    std::unique_ptr<RunWeights> m_weights;
    bool m_isOver = false;
};

} // namespace trainyard
