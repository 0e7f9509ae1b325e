#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "engine/base/lock_file.h"
#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"
#include "remote/agent/runs/run_work.h"
#include "remote/agent/supervise/job_command.h"
#include "remote/agent/supervise/run_log.h"
#include "remote/agent/supervise/stop_sequence.h"
#include "remote/agent/supervise/stream_watcher.h"

namespace trainyard::agent {

/// Starts one attempt of a run on the head node, watches it, ends it when asked, and leaves no process
/// behind. Exactly one per run: it holds the run's lock. Writes the stream "run". Must be the only code of
/// its process, without other threads: it reaps every child and takes SIGCHLD, SIGTERM and SIGINT.
class Supervisor {
public:
    /// Takes the lock and writes that the run is starting. Refused when the run has a supervisor already;
    /// everything that is wrong with the launch is found here, before anything runs.
    static Result<std::unique_ptr<Supervisor>> start(const RunFolder& folder, std::uint32_t attempt);

    /// Starts the job. The run's final state is written also when that fails.
    Status launch();
    /// Watches until the end of the run; returns the process's exit status.
    int watch();

private:
    Supervisor(RunFolder folder, RunWork work, LaunchRequest request, JobCommand command, LockFile lock,
               RunLog log);

    void waitForSignal(std::chrono::milliseconds patience);
    void reap();
    void watchJob();
    void noticeStall();
    void obey();
    void beat();
    int conclude();
    int sweep();

    RunFolder m_folder;
    RunWork m_work;
    LaunchRequest m_request;
    JobCommand m_command;
    LockFile m_lock;
    RunLog m_log;
    StreamWatcher m_stream;
    StopSequence m_stop;
    std::vector<std::uint64_t> m_rankLogSizes;
    FileDescriptor m_signals;
    std::uint64_t m_outOfMemoryKills; ///< of this host, when the attempt started
    pid_t m_job = 0;
    std::optional<int> m_jobStatus; ///< of waitpid, once the job's first process has ended
    std::chrono::steady_clock::time_point m_nextBeat;
    std::chrono::steady_clock::time_point m_lastProgress;
    std::string m_reportedStall;
};

} // namespace trainyard::agent
