#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/training/checkpoint_stores.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

class GroupMaker;
class ProcessGroup;
class Replica;
struct ProcessGroups;

/// The state that a run starts from.
struct LoadedState {
    TrainingPosition position;        ///< step 0 when there is no checkpoint yet
    std::vector<std::string> changes; ///< on rank 0: checkpoints set aside or skipped, a sentence each
    std::string start;                ///< on rank 0: "the checkpoint of step 1000"
    bool isFresh = true;              ///< no checkpoint was loaded
};

/// The checkpoints of one run, saved and loaded by all ranks together. Where all see rank 0's folder, each
/// writes and reads its part there. Without a shared folder
/// - and with every rank holding the whole model, rank 0's host writes and reads everything for all;
/// - in other layouts every host keeps the shards of its ranks and a copy of the host's before it, and
///   ranks read what their host lacks from those that have it.
/// All ranks make the same calls, except for isBusy(), and get the same answer.
///
/// Saving pauses training only while the state is copied: a thread writes the copy. At the end of a step,
/// once no rank is busy with its part, proceed() starts the next stage:
///
///     begin()  ->  every rank writes its shard  ->  rank 0 publishes  ->  proceed() names the step
///
/// and with a checkpoint on several hosts
///
///     begin()  ->  shards  ->  copies and manifest on every host  ->  the other hosts publish
///              ->  rank 0 publishes: now there is a checkpoint  ->  proceed() names the step
///
/// Each stage begins after all ranks have agreed that the one before succeeded: all shards are complete
/// before anything is published, and no rank reports a checkpoint before it is published. Outdated
/// checkpoints are removed after that, while training goes on. With CopyOrder::AfterPublication the copies
/// are the last stage, and nothing is removed without them.
class RunCheckpoints {
public:
    /// The world group and the maker must outlive this object. `fence`: of this attempt.
    static Result<RunCheckpoints> open(const ProcessGroups& groups, GroupMaker& maker,
                                       const std::filesystem::path& folder, const CheckpointSpec& spec,
                                       bool everyRankHoldsAll, const Fence& fence = {});

    /// Where checkpoints are kept, as a sentence; empty where all ranks see one folder, or one host has all.
    std::string placesText() const;

    /// When shards are copied to other hosts: who stops a run has little time, and a checkpoint without
    /// copies is better than none.
    enum class CopyOrder { BeforePublication, AfterPublication };
    /// Copies the replica as the state after `position` and begins to write it. Requires that no checkpoint
    /// is under way.
    Status begin(const Replica& replica, const TrainingPosition& position,
                 CopyOrder order = CopyOrder::BeforePublication);
    /// Returns the step of the checkpoint that was begun and has a stage to come; the same on every rank.
    std::optional<Step> underWay() const
    {
        return m_saving ? std::optional(m_saving->position.step) : std::nullopt;
    }
    /// Returns whether this rank is still writing; proceed() would wait for it on all ranks.
    bool isBusy() const;
    /// Starts the next stage of the checkpoint under way. Returns its step once it is published, nullopt
    /// before. After an error none is under way any more, and training may go on: while not every host has
    /// its part, nothing is left of it; later, what hosts have prepared stays until a newer one is published,
    /// because others may have published theirs, and a start completes it. Copies that fail after the
    /// publication are a remark.
    Result<std::optional<Step>> proceed();

    /// Waits until outdated checkpoints are removed. All ranks call it; begin() does so too.
    void finishCleaning();
    /// On rank 0: what went wrong without harm to a checkpoint since the last call, a sentence each.
    std::vector<std::string> takeRemarks() { return std::exchange(m_remarks, {}); }

    /// Returns the replica of the phase that continues after a step. All ranks call it.
    using ReplicaMaker = std::function<Result<Replica*>(Step)>;

    /// Fills a replica from the checkpoint that the run starts from (engine/checkpoint/FORMAT.md), whatever
    /// layout wrote it: with the weights alone at the start of a phase that does not keep the optimizer's
    /// state. One whose content turns out to be wrong on any rank is set aside, and all ranks load
    /// the next older one. Refused when it belongs to another model, optimizer or seed, or when there are
    /// checkpoints but none is complete; Failed when it cannot be read. On ranks other than 0 the position
    /// lacks the specification.
    Result<LoadedState> load(const ReplicaMaker& replicaAfter, const RunSpec& spec);

private:
    enum class Stage { Shards, Copies, OtherHosts, Publication, LateCopies };
    using Names = std::vector<CheckpointName>;

    /// The checkpoint under way.
    struct Saving {
        CheckpointWriter writer;
        TrainingPosition position;
        CopyOrder order = CopyOrder::BeforePublication;
        Stage stage = Stage::Shards;
        std::future<Status> work;                ///< this rank's part of the stage; invalid if it has no part
        std::vector<ShardTransfer> lateCopies{}; ///< to be made after the publication
        /// On rank 0: written by the work of the last stage; the checkpoints that are not outdated.
        std::shared_ptr<Result<Names>> kept = std::make_shared<Result<Names>>(Names());
    };

    RunCheckpoints(const ProcessGroups& groups, GroupMaker& maker, std::filesystem::path folder,
                   const CheckpointSpec& spec, FolderSharing sharing, CheckpointStores stores, bool isSpread,
                   const Fence& fence);

    Stage nextStage() const;
    Status beginStage(Stage stage);
    Result<std::future<Status>> makeCopies();
    std::future<Status> makeLateCopies() const;
    void finishSaving(const Status& copied);
    std::future<Status> publishOnOtherHosts() const;
    std::future<Status> publish() const;
    void beginCleaning(const Result<Names>& kept);
    Error abandon(const Error& error);
    Result<std::vector<ShardTransfer>> planCopies() const;
    Result<std::string> makeManifest() const;
    std::future<Status> writeShard(const CheckpointWriter& writer, const Replica& replica) const;

    Result<bool> createFoldersEverywhere();
    Result<TrainingPosition> read(Replica& replica, const CheckpointStores::Start& start, const RunSpec& spec,
                                  bool fromHeadAlone);
    Result<TrainingPosition> readFromHosts(Replica& replica, const CheckpointStores::Start& start,
                                           const RunSpec& spec);
    void restoreBest(const TrainingPosition& position);
    Status setAsideDamaged(const CheckpointStores::Start& start, const std::string& reason,
                           std::vector<std::string>& changes);
    TrainingPosition share(Replica& replica, TrainingPosition position, bool fromHeadAlone);

    ProcessGroup* m_world;
    GroupMaker* m_maker;
    std::filesystem::path m_folder;
    KeptCheckpoints m_kept;
    int m_copies;
    Fence m_fence;
    CheckpointStores m_stores;
    bool m_isSpread;         ///< every host keeps the shards of its ranks
    FolderSharing m_sharing; ///< of the ranks that write
    std::optional<Saving> m_saving;
    Step m_loadedStep{};      ///< of the checkpoint that the run started from
    std::string m_loadedHash; ///< of its manifest, where hosts have folders of their own
    std::filesystem::path
        m_prepared; ///< what other hosts may have published, but not all could; empty: nothing
    std::future<Status> m_cleaning; ///< this rank's part
    bool m_isCleaning = false;      ///< the same on every rank
    std::vector<std::string> m_remarks;
};

} // namespace trainyard
