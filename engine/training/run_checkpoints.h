#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "engine/checkpoint/manifest.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

class ProcessGroup;
class Replica;

/// The checkpoints of one run, saved and loaded by all ranks together. Those that share rank 0's folder write
/// their part each; on loading rank 0 reads and the others get everything from it, so no shared file system
/// is needed. Every rank calls every function, and every rank gets the same answer.
class RunCheckpoints {
public:
    static Result<RunCheckpoints> open(ProcessGroup& group, const std::filesystem::path& folder,
                                       int keepLast);

    /// Publishes the replica as the state after `position`. On an error nothing new is visible.
    Status save(const Replica& replica, const TrainingPosition& position);
    /// Fills the replica from the latest checkpoint; nothing when there is none yet. BadInput when it belongs
    /// to another model, optimizer or seed, or is damaged. Only step and samples of the position are set on
    /// ranks other than 0.
    Result<std::optional<TrainingPosition>> loadLatest(Replica& replica, const RunSpec& spec);

private:
    RunCheckpoints(ProcessGroup& group, std::filesystem::path folder, int keepLast, FolderSharing sharing);

    ProcessGroup* m_group;
    std::filesystem::path m_folder;
    int m_keepLast;
    FolderSharing m_sharing;
};

} // namespace trainyard
