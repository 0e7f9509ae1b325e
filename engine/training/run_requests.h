#pragma once

#include <atomic>
#include <memory>

#include "engine/training/run_directory.h"

namespace trainyard {

/// Requests that the ranks combine at the end of a step: true for all if true for one.
struct Requests {
    bool stop = false;       ///< by the user, the supervisor or a signal
    bool checkpoint = false; ///< likewise
    bool saving = false;     ///< a part of the current checkpoint is still being written
};

/// Sets a flag from a signal-handling thread; read by the training thread.
using StopFlag = std::atomic<bool>;

/// Polls the run's control files (rank 0 only) and the stop flag (every rank).
class RunRequests {
public:
    /// `stopFlag` may be null; it must outlive this object.
    RunRequests(RunDirectory directory, bool looksAtFiles, const StopFlag* stopFlag);

    Requests poll() const;
    /// Removes the request, because its checkpoint has begun.
    void checkpointTaken() const;

private:
    RunDirectory m_directory;
    bool m_looksAtFiles;
    const StopFlag* m_stopFlag;
};

} // namespace trainyard
