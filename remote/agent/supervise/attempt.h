#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/job_command.h"
#include "remote/agent/supervise/stall.h"
#include "remote/agent/supervise/stream_watcher.h"
#include "remote/agent/supervise/verdict.h"

namespace trainyard::agent {

class DeviceClaim;
class StopSequence;

/// One start of a run's job: its first process and its observable state while it runs. The supervisor reaps
/// the children and passes on how they ended.
class Attempt {
public:
    /// `work`: of the whole run. Reports everything that is wrong with the launch before anything runs.
    static Result<std::unique_ptr<Attempt>> prepare(const RunFolder& folder, const RunWork& work,
                                                    LaunchRequest request);
    /// Writes the known_hosts file that remoteShell() names; start() writes it too. Both require the
    /// supervisor's lock.
    Status keepKnownHosts() const;
    Status start();

    /// The request as sent, including absent hosts.
    const LaunchRequest& request() const { return m_request; }
    std::uint32_t number() const { return m_request.attempt; }
    const RunWork& work() const { return m_work; }

    /// Reads the records that the job wrote since the last call.
    void look();
    bool hasStarted() const { return m_stream.hasStarted(); }
    /// Returns true once other runs of this user can see which devices all ranks take, before these use them.
    bool showsItsDevices() const { return m_showsItsDevices; }
    bool finishedAStep() const { return m_stream.finishedAStep(); }
    std::int64_t step() const { return m_stream.lastStep(); }

    /// Checks whether the first rank makes progress; costs more than look() and is called less often.
    void takePulse();
    /// Returns why the job hangs, as a sentence that stays the same as long as the cause does; empty while it
    /// makes progress.
    std::string stall() const;
    /// Returns true when nothing has progressed for so long that the attempt should be given up.
    bool isStalledForGood() const;

    /// A child of the supervisor ended.
    void childEnded(pid_t child, int waitStatus);
    bool isOver() const { return m_waitStatus.has_value(); }
    /// Sends SIGTERM to the job.
    void terminate() const;

    /// Evaluates a finished attempt. Call it before the sweep, while rings and logs are as the failure left
    /// them.
    Verdict judge(const StopSequence& stop, const std::string& fenced, const std::string& stopCause) const;
    /// Records that the supervisor ends the attempt because it hangs, with the reason.
    void giveUp(const std::string& stall) { m_givenUp = stall; }

private:
    Result<DeviceClaim> claimDevices() const;
    Attempt(RunFolder folder, RunWork work, LaunchRequest request, LaunchRequest present, JobCommand command);
    std::chrono::duration<double> quiet() const;
    std::chrono::duration<double> patience() const;

    RunFolder m_folder;
    RunWork m_work;
    LaunchRequest m_request;
    LaunchRequest m_present; ///< without the absent nodes
    JobCommand m_command;
    StreamWatcher m_stream;
    std::vector<std::uint64_t> m_rankLogSizes; ///< when the attempt started
    std::uint64_t m_outOfMemoryKills = 0;      ///< of this host, when the attempt started
    pid_t m_job = 0;
    bool m_showsItsDevices = false;
    std::optional<int> m_waitStatus; ///< of the job's first process
    std::optional<Pulse> m_pulse;
    std::chrono::steady_clock::time_point m_lastProgress;
    std::string m_givenUp;
};

} // namespace trainyard::agent
