#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/result.h"
#include "engine/checkpoint/manifest.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

class ProcessGroup;
class Replica;
struct ProcessGroups;

/// The checkpoints of one run, saved and loaded by all ranks together. The ranks that see rank 0's folder
/// write and read their part each. Those that do not (no shared file system) get everything from rank 0,
/// which only works where every rank holds the whole model; other layouts are refused by open(). Every rank
/// calls every function, and every rank gets the same answer.
class RunCheckpoints {
public:
    /// The world group outlives this object.
    static Result<RunCheckpoints> open(const ProcessGroups& groups, const std::filesystem::path& folder,
                                       int keepLast, bool everyRankHoldsAll);

    /// Publishes the replica as the state after `position`. On an error nothing new is visible.
    Status save(const Replica& replica, const TrainingPosition& position);
    /// Fills the replica from the latest checkpoint, whatever layout wrote it; nothing when there is none
    /// yet. BadInput when it belongs to another model, optimizer or seed, or is damaged. Only step and
    /// samples of the position are set on ranks other than 0.
    Result<std::optional<TrainingPosition>> loadLatest(Replica& replica, const RunSpec& spec);

private:
    RunCheckpoints(const ProcessGroups& groups, std::filesystem::path folder, int keepLast,
                   FolderSharing sharing);

    bool allShareTheFolder() const;

    ProcessGroup* m_world;
    std::filesystem::path m_folder;
    int m_keepLast;
    FolderSharing m_sharing; ///< among all ranks
    FolderSharing m_savers;  ///< among the ranks that hold the same slices
};

} // namespace trainyard
