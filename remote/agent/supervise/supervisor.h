#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/attempt.h"
#include "remote/agent/supervise/device_wait.h"
#include "remote/agent/supervise/membership.h"
#include "remote/agent/supervise/restart_policy.h"
#include "remote/agent/supervise/run_log.h"
#include "remote/agent/supervise/signal_inbox.h"
#include "remote/agent/supervise/stop_sequence.h"
#include "remote/agent/supervise/supervisor_place.h"

namespace trainyard::agent {

/// Starts a run on the head node, watches it, ends it on request, starts the next attempt when ranks or hosts
/// are lost, and leaves no process behind. Exactly one per run: it holds the run's lock. Writes the stream
/// "run". Must be the only code of its process, without other threads: it reaps every child and handles
/// SIGCHLD, SIGTERM and SIGINT.
class Supervisor {
public:
    /// Fences earlier attempts, takes the lock and records that the run is starting. Gives an active
    /// supervisor of an earlier attempt, for example on another node, time to notice the fence and end.
    /// Refused when it does not, and when a newer attempt has begun. Reports all errors of the request before
    /// anything is started.
    static Result<std::unique_ptr<Supervisor>> start(const RunFolder& folder, std::uint32_t attempt);

    /// Called at SIGTERM: asks the run to stop, and returns the reason in a few words. Without a handler
    /// SIGTERM ends the run immediately; a run with launch.restart.after_reboot is then left as interrupted
    /// and resumes after the reboot.
    using TerminationHandler = std::function<std::string()>;
    void setTerminationHandler(TerminationHandler handler) { m_onTermination = std::move(handler); }

    /// Called in a batch job when the run needs another attempt, which only Slurm can start. Returns a phrase
    /// that says who starts it; empty = nobody does, and the run has failed.
    using Requeue = std::function<std::string(const LaunchRequest& next)>;
    void setRequeue(Requeue requeue) { m_requeue = std::move(requeue); }

    /// Starts the job. After a reboot of this host, and where the run waits for devices, watch() starts it
    /// instead. Writes the run's final state if the start fails.
    Status launch();
    /// Watches until the end of the run; returns the process's exit status.
    int watch();

private:
    Supervisor(RunFolder folder, RunWork work, SupervisorPlace place, RunLog log,
               std::unique_ptr<Attempt> attempt);

    void prepareForReboot();
    Status startAttempt();
    Status chooseCheckpoint();
    void followAttempt();
    void handleSignals(std::chrono::milliseconds patience);
    void reap();
    void watchJob();
    void checkForStall();
    void advanceStop();
    void heartbeat();
    void checkFence();
    void endForReturnedHosts();
    int sweep();
    Verdict conclude();
    bool restart(Verdict& verdict);
    void markCancelled(Verdict& verdict) const;
    void requeue(Verdict& verdict) const;
    LaunchRequest nextRequest() const;
    Status begin(const LaunchRequest& next);
    void announce(std::chrono::milliseconds delay, const std::string& reason);
    bool waitFor(std::chrono::milliseconds delay);
    bool startOnHosts(const LaunchRequest& next, Verdict& verdict);
    Status startNext(LaunchRequest next);
    bool waitsForDevices(const LaunchRequest& request) const;
    Result<LaunchRequest> readyHosts(const LaunchRequest& next);
    Result<LaunchRequest> fitToHosts(const LaunchRequest& next,
                                     std::chrono::steady_clock::time_point deadline);
    Status waitForHosts(const Error& missing, std::chrono::steady_clock::time_point deadline,
                        std::chrono::milliseconds patience);
    Result<DeviceWait::Answer> waitUntilFree(const LaunchRequest& next);
    Result<DeviceWait::Answer> askForDevices(const LaunchRequest& next);
    void reportWaiting(RunState state, const std::string& reason);
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
    std::string m_stopCause;      ///< returned by m_onTermination; empty = not called
    bool m_isInterrupted = false; ///< by SIGTERM, in a run that resumes after a reboot
    Membership m_membership;
    DeviceWait m_devices;
};

} // namespace trainyard::agent
