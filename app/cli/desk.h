#pragma once

#include <QObject>

#include "app/cli/interrupt.h"
#include "remote/launch/run_service.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// What every command that reaches hosts works with: the links and the runs. Asks on the terminal whether an
/// unknown host key is to be trusted and for passphrases; without a terminal the answer is no.
class Desk : public QObject {
    Q_OBJECT

public:
    Desk();

    TargetPool& targets() { return m_targets; }
    RunService& runs() { return m_runs; }

    /// Waits for an operation, showing its progress; Ctrl+C cancels it. The run's id, or why not.
    Result<QString> finish(RunOperation* operation);
    /// Waits until the host's link is up; the reason when it is not within `patience`.
    Status reach(const QString& host, std::chrono::milliseconds patience = std::chrono::seconds(30));

private:
    void watch(Target* target);

    TargetPool m_targets;
    RunService m_runs;
};

} // namespace trainyard
