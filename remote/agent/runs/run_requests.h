#pragma once

#include <chrono>
#include <optional>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

// What a run is asked for while it is at work: files in its control folder, which its supervisor and its
// workers look for. They hold for the attempt that is at work, not for the next one.

struct StopOptions {
    std::chrono::milliseconds grace{6000}; ///< for finishing the step and publishing a checkpoint
    bool checkpoint = true;                ///< false = do not wait for the workers
};

/// Asks the run to end. A request that says so already is left as it is.
Status askToEnd(const RunFolder& folder, const StopOptions& options);
/// Asks for a checkpoint after the present step; the run goes on.
Status askForCheckpoint(const RunFolder& folder);

/// With a checkpoint or without.
bool isAskedToEnd(const RunFolder& folder);
bool isAskedToAbort(const RunFolder& folder); ///< without a checkpoint
/// The grace of a request to end with a checkpoint, nothing when there is none. `otherwise`: for a bare file
/// that was made by hand.
std::optional<std::chrono::milliseconds> askedGrace(const RunFolder& folder,
                                                    std::chrono::milliseconds otherwise);

void removeRequests(const RunFolder& folder);

} // namespace trainyard::agent
