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

/// Blocks SIGINT and SIGTERM in the calling thread and all threads started by it, so that a JobWatch can
/// receive them. Must be called before the first thread of the job.
void blockStopSignals();

/// Monitors a long job in a separate thread: shows its progress twice a second and sets the cancel flag: to
/// drop the work on SIGINT or when the file `control/stop` appears in the run directory, or to keep it on
/// SIGTERM, which a system sends at shutdown.
class JobWatch {
public:
    JobWatch(Progress& progress, CancelFlag& cancel, std::unique_ptr<ProgressSink> sink,
             std::optional<std::filesystem::path> stopFile, std::filesystem::path folder = {});
    ~JobWatch();

    /// Shows the final figures and, for a failed job, its error. Ends the thread.
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
    std::filesystem::path m_folder; ///< the job writes to the disk of this folder; empty = none
    std::map<std::string, ProgressRecord> m_shown; ///< by stage
    FileDescriptor m_signals;                      ///< readable when SIGINT or SIGTERM arrived
    FileDescriptor m_end;                          ///< readable when the job has ended
    std::thread m_thread;
};

} // namespace trainyard
