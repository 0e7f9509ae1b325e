#pragma once

#include <vector>

#include <QObject>

#include "app/cli/support/interrupt.h"
#include "app/cli/support/terminal.h"
#include "remote/launch/run_service.h"
#include "remote/target/target_pool.h"

namespace trainyard {

class SystemKeyring;

/// The connections and runs of a command that contacts hosts. Asks on the terminal whether to trust an
/// unknown host key, and for passwords and passphrases, which it keeps for the duration of the command;
/// without a terminal the answer is no.
class Desk : public QObject {
    Q_OBJECT

public:
    enum class NewKeys {
        Ask,
        Accept ///< keys of unknown hosts; changed keys are always refused
    };
    explicit Desk(const TargetOptions& options = {}, NewKeys newKeys = NewKeys::Ask);

    TargetPool& targets() { return m_targets; }
    RunService& runs() { return m_runs; }

    /// Waits for an operation and shows its progress; Ctrl+C cancels it. Returns the run's id, or the error.
    Result<QString> finish(RunOperation* operation);
    /// Waits until the host is connected; returns the error if it is not within `patience`.
    Status reach(const QString& host, std::chrono::milliseconds patience = std::chrono::seconds(30));
    /// Waits for a host to list its runs. Prints the reason and returns an empty list if it cannot be
    /// reached.
    QList<HostRun> listRuns(const QString& host);

private:
    void watch(Target* target);
    void judgeHostKey(Target& target, const HostKeyQuestion& question);
    void warnOfKeyringIndex();
    void askLogin(const ssh::LoginInquiry& question);
    void askPrompt(const ssh::LoginInquiry& question, std::size_t index);

    const NewKeys m_newKeys;
    Terminal m_terminal;
    quint64 m_asked = 0;                ///< ticket of the login prompt that was asked last
    std::vector<ssh::Secret> m_answers; ///< to the prompts of the login that is asked now
    SystemKeyring* m_keyring = nullptr; ///< owned by the logins of m_targets
    bool m_warnedOfKeyring = false;
    TargetPool m_targets;
    RunService m_runs;
};

} // namespace trainyard
