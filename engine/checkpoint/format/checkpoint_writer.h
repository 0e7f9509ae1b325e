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
///
/// Where hosts keep checkpoints on disks of their own, one process of each host does so for its folder, and
/// publish() is in two steps with an agreement between them (engine/checkpoint/FORMAT.md, "Hosts without a
/// shared folder"):
///
///     all:               lists of shards go to one process, which makes the manifest: joinLists()
///     one of each host:  copies of other hosts' shards into staging(), prepare(n, manifest)
///     one of each host:  commit(position), the first host last
class CheckpointWriter {
public:
    /// `folder` is the run's `checkpoints`.
    CheckpointWriter(std::filesystem::path folder, Step step, Fence fence = {});

    /// `spared`: an earlier one that some hosts have published and others have not.
    Status begin(const std::filesystem::path& spared = {}) const;
    /// Writes and syncs one safetensors file and a list of its slices with their hashes. Failed names the
    /// file.
    Status writeShard(int index, int count, const std::vector<SliceToSave>& slices) const;
    /// Joins the shards' parts into manifest.json, checks that they cover every tensor, renames the folder to
    /// its final name, replaces `best` if it is that, then `latest`, and then removes the checkpoints that
    /// are not to be kept.
    Status publish(int shardCount, const TrainingPosition& position, const KeptCheckpoints& kept) const;

    /// "shard-0000-of-0002.safetensors"
    static std::string shardFile(int index, int count);
    /// Where the files are until they are published.
    std::filesystem::path staging() const;
    /// The list that writeShard() has written.
    Result<std::string> listOf(int index, int count) const;
    /// From the lists of all shards. Failed when they do not cover every tensor.
    static Result<CheckpointManifest> joinLists(const TrainingPosition& position,
                                                const std::vector<std::string>& lists);
    /// Writes the manifest next to the shards, and in a checkpoint with `places` the name of this host there.
    /// From then on the folder survives a power cut.
    Status prepare(int shardCount, const std::string& manifest, const std::string& host = {}) const;
    /// Gives the folder its final name, replaces `best` if it is that, then `latest`.
    Status commit(const TrainingPosition& position) const;
    /// Removes what was written.
    void abandon() const;

private:
    std::filesystem::path m_folder;
    Step m_step;
    Fence m_fence;
};

} // namespace trainyard
