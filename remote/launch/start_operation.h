#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <QList>

#include "remote/launch/rollback.h"
#include "remote/launch/run_operation.h"
#include "remote/launch/start_plan.h"
#include "remote/launch/start_preparation.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Starts a run: links up → StartPreparation → run directories created → where the layout splits the model,
/// whether the hosts share a folder → weights that only this computer has sent → supervisor started on the
/// head → device samplers started. With Slurm the one host is the login host, and a batch job starts instead
/// of a supervisor.
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
    void keep();
    void makeRun();
    Status keepOnDesk();
    Status keepInventory();
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

    StartPlan m_plan;
    TargetPool& m_targets;
    HostGroup m_group;
    StartPreparation m_preparation;
    QList<int> m_weightNodes{0}; ///< that weights of this computer are sent to
    State m_state = State::Starting;
    std::optional<Error> m_failure; ///< why it is taken back
    std::unique_ptr<Rollback> m_rollback;
    bool m_isOnHosts = false;        ///< they may have something that is to be taken back
    std::optional<DeskRun> m_before; ///< of a resume, until it has been asked to begin
    QJsonObject m_inventory;
    QStringList m_awaited; ///< hosts whose answers are under way
};

} // namespace trainyard
