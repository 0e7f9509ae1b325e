#pragma once

#include <optional>

#include "remote/launch/desk_run.h"
#include "remote/launch/run_operation.h"
#include "remote/target/host_group.h"

namespace trainyard {

struct StopOptions {
    bool checkpoint = true; ///< finish the step and keep it; otherwise kill at once
    std::chrono::milliseconds grace{6'000};
};

/// For jobs that write nothing that could be left in the middle.
inline constexpr StopOptions kStopAtOnce{.checkpoint = false, .grace = std::chrono::milliseconds(0)};

/// Ends a run on every host. Safe to repeat. Asks the head first, because it ends the ranks of all hosts in
/// order; then sweeps the others. Fails with every host not known to be clean, and reports where processes
/// had to be killed.
class StopOperation : public RunOperation {
    Q_OBJECT

public:
    StopOperation(const DeskRun& run, const StopOptions& options, TargetPool& targets, QObject* parent);
    void start();
    /// A stop cannot be rolled back; no effect.
    void cancel() override {}

private:
    QJsonObject request(std::chrono::milliseconds grace) const;
    void takeHeadAnswer(const Result<QJsonObject>& answer);
    void sweepWhenPossible();
    void sweep(const Result<QJsonObject>& headAnswer);
    void conclude(const Result<QJsonObject>& headAnswer, const HostGroup::Answers& answers);

    StopOptions m_options;
    HostGroup m_group;
    HostGroup m_head;
    std::optional<Result<QJsonObject>> m_headAnswer;
    bool m_reached = false; ///< every link is up, or was found not to come up
};

} // namespace trainyard
