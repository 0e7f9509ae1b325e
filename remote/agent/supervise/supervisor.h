#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/attempt.h"
#include "remote/agent/supervise/membership.h"
#include "remote/agent/supervise/restart_policy.h"
#include "remote/agent/supervise/run_log.h"
#include "remote/agent/supervise/signal_inbox.h"
#include "remote/agent/supervise/stop_sequence.h"
#include "remote/agent/supervise/supervisor_place.h"

namespace trainyard::agent {

/// Starts a run on the head node, watches it, ends it when asked, goes on with the next attempt when ranks or
/// hosts are lost, and leaves no process behind. Exactly one per run: it holds the run's lock. Writes the
/// stream "run". Must be the only code of its process, without other threads: it reaps every child and takes
/// SIGCHLD, SIGTERM and SIGINT.
class Supervisor {
public:
    /// Fences the attempts before this one, takes the lock and writes that the run is starting. An older
    /// attempt's supervisor that is still at work, on another node for example, is given time to notice and
    /// to leave. Refused when it does not, and when a newer attempt has begun; everything that is wrong with
    /// the launch is found here, before anything runs.
    static Result<std::unique_ptr<Supervisor>> start(const RunFolder& folder, std::uint32_t attempt);

    /// Called at SIGTERM: asks the run to stop, and tells why in a few words. Without it SIGTERM ends the run
    /// at once; one with launch.restart.after_reboot is left as interrupted then, and goes on when this host
    /// has started again.
    using TerminationHandler = std::function<std::string()>;
    void setTerminationHandler(TerminationHandler handler) { m_onTermination = std::move(handler); }

    /// In a batch job: called when the run is to go on with another attempt, which cannot start here. Tells
    /// in a few words who starts it; empty = nobody does, and the run has failed.
    using Requeue = std::function<std::string(const LaunchRequest& next)>;
    void setRequeue(Requeue requeue) { m_requeue = std::move(requeue); }

    /// Starts the job; that of a run which this host's restart interrupted is left to watch(), because it may
    /// have to wait for other hosts. The run's final state is written also when that fails.
    Status launch();
    /// Watches until the end of the run; returns the process's exit status.
    int watch();

private:
    Supervisor(RunFolder folder, RunWork work, SupervisorPlace place, RunLog log,
               std::unique_ptr<Attempt> attempt);

    void prepareForReboot();
    Status startAttempt();
    Status arrangeCheckpoints();
    void followAttempt();
    void heedSignals(std::chrono::milliseconds patience);
    void reap();
    void watchJob();
    void noticeStall();
    void obey();
    void beat();
    void heedFence();
    void growWorld();
    int sweep();
    Verdict conclude();
    bool goesOn(Verdict& verdict);
    void callOff(Verdict& verdict) const;
    void requeue(Verdict& verdict) const;
    LaunchRequest nextRequest() const;
    Status begin(const LaunchRequest& next);
    void announce(std::chrono::milliseconds delay, const std::string& reason);
    bool waitOut(std::chrono::milliseconds delay);
    bool comesToWork(const LaunchRequest& next, Verdict& verdict);
    Status startNext(LaunchRequest next);
    Result<LaunchRequest> fitToHosts(const LaunchRequest& next);
    void sayWaiting(const std::string& reason);
    bool isInterrupted(const Verdict& verdict) const;
    int leave(const Verdict& verdict);
    int leaveForReboot();
    int finish(const Verdict& verdict);

    RunFolder m_folder;
    RunWork m_work;
    SupervisorPlace m_place;
    RunLog m_log;
    StopSequence m_stop;
    RestartPolicy m_restarts;
    SignalInbox m_signals;
    std::unique_ptr<Attempt> m_attempt;
    std::chrono::steady_clock::time_point m_nextBeat;
    std::string m_reportedStall;
    TerminationHandler m_onTermination;
    Requeue m_requeue;
    std::string m_stopCause;      ///< as that told
    bool m_isInterrupted = false; ///< by SIGTERM, where the run is to go on after a reboot
    Membership m_membership;
};

} // namespace trainyard::agent
