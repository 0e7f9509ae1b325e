#pragma once

#include <atomic>
#include <memory>

#include "engine/training/run_directory.h"

namespace trainyard {

/// Requests that ranks share at the end of a step; true for all when true for one.
struct Requests {
    bool stop = false;       ///< requested from outside
    bool checkpoint = false; ///< likewise
    bool saving = false;     ///< a part of the current checkpoint is still being written
};

/// Sets a flag from a signal-handling thread; read by the training thread.
using StopFlag = std::atomic<bool>;

/// Looks for the run's control files (rank 0 only) and at the stop flag (every rank).
class RunRequests {
public:
    /// `stopFlag` may be null and outlives this object.
    RunRequests(RunDirectory directory, bool looksAtFiles, const StopFlag* stopFlag);

    Requests look() const;
    /// The checkpoint that was asked for is begun.
    void checkpointTaken() const;

private:
    RunDirectory m_directory;
    bool m_looksAtFiles;
    const StopFlag* m_stopFlag;
};

} // namespace trainyard
