#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "datasets/job/cancel_flag.h"
#include "datasets/job/progress.h"
#include "datasets/job/progress_sink.h"
#include "engine/base/file.h"

namespace trainyard {

/// Blocks SIGINT and SIGTERM in the calling thread and all threads that it starts, so that a JobWatch can
/// take them. Called before the first thread of the job.
void blockStopSignals();

/// Looks after a long job from a thread of its own: shows its progress twice a second and sets the cancel
/// flag: for good when the user asks for it, by SIGINT or the file `control/stop` of the run directory, or
/// for later when SIGTERM ends the process, as a system does that shuts down.
class JobWatch {
public:
    JobWatch(Progress& progress, CancelFlag& cancel, std::unique_ptr<ProgressSink> sink,
             std::optional<std::filesystem::path> stopFile, std::filesystem::path folder = {});
    ~JobWatch();

    /// Shows the last figures and, for a job that failed, its last word. Ends the thread.
    void end(const Status& outcome);

private:
    void run();
    void showChanges();
    enum class Wake { Tick, Interrupted, Terminated, Ended };
    Wake wait() const;
    bool stopFileExists() const;
    void endThread();

    Progress& m_progress;
    CancelFlag& m_cancel;
    std::unique_ptr<ProgressSink> m_sink;
    std::optional<std::filesystem::path> m_stopFile;
    std::filesystem::path m_folder;                ///< on whose disk the job writes; empty = none
    std::map<std::string, ProgressRecord> m_shown; ///< by stage
    FileDescriptor m_signals;                      ///< readable when the user wants the job to stop
    FileDescriptor m_end;                          ///< readable when the job has ended
    std::thread m_thread;
};

} // namespace trainyard
