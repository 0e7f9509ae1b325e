#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/records/fence.h"

namespace trainyard {

/// The part of a logical tensor that one rank writes.
struct SliceToSave {
    TensorBytes values;                    ///< logical tensor's name, the slice's shape and bytes
    std::vector<std::int64_t> globalShape; ///< of the logical tensor
    std::vector<std::int64_t> begin;       ///< index of the slice's first element in it
    bool onDevice = false; ///< the bytes lie in a device's memory: only a SliceSnapshot may read them
};

/// Writes one checkpoint in phases, so that many processes can take part without this class knowing how they
/// talk. All processes name the same folder and step.
///
///     one process:  begin()              removes what an interrupted attempt left
///     -- barrier --
///     all:          writeShard(i, n, slices)
///     -- barrier, agree that all succeeded --
///     one process:  publish(n, position) or abandon()
///
/// Until publish() returns, `latest` names the previous checkpoint, whatever happens in between. Where a
/// newer attempt of the run has begun, begin() and publish() are refused, and nothing is removed.
class CheckpointWriter {
public:
    /// `folder` is the run's `checkpoints`.
    CheckpointWriter(std::filesystem::path folder, Step step, Fence fence = {});

    Status begin() const;
    /// Writes and syncs one safetensors file and a list of its slices with their hashes. Failed names the
    /// file.
    Status writeShard(int index, int count, const std::vector<SliceToSave>& slices) const;
    /// Joins the shards' parts into manifest.json, checks that they cover every tensor, renames the folder to
    /// its final name, replaces `best` if it is that, then `latest`, and then removes the checkpoints that
    /// are not to be kept.
    Status publish(int shardCount, const TrainingPosition& position, const KeptCheckpoints& kept) const;
    /// Removes what was written.
    void abandon() const;

private:
    std::filesystem::path staging() const;

    std::filesystem::path m_folder;
    Step m_step;
    Fence m_fence;
};

} // namespace trainyard
