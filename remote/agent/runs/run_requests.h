#pragma once

#include <chrono>
#include <optional>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

// Requests to an active run: files in its control folder that its supervisor and workers poll. They apply to
// the active attempt, not to the next one.

struct StopOptions {
    std::chrono::milliseconds grace{6000}; ///< for finishing the step and publishing a checkpoint
    bool checkpoint = true;                ///< false = do not wait for the workers
};

/// Asks the run to end. Keeps an earlier request that says the same.
Status askToEnd(const RunFolder& folder, const StopOptions& options);
/// Asks for a checkpoint after the present step; the run continues.
Status askForCheckpoint(const RunFolder& folder);

/// Asked to end, with or without a checkpoint.
bool isAskedToEnd(const RunFolder& folder);
bool isAskedToAbort(const RunFolder& folder); ///< without a checkpoint
/// Returns the grace period of a request to end with a checkpoint, or nullopt when there is none; `otherwise`
/// for an empty file created by hand.
std::optional<std::chrono::milliseconds> askedGrace(const RunFolder& folder,
                                                    std::chrono::milliseconds otherwise);

void removeRequests(const RunFolder& folder);

} // namespace trainyard::agent
