#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_reader.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "engine/checkpoint/format/shard_transfers.h"
#include "engine/checkpoint/format/store_inventory.h"
#include "engine/comm/process_groups.h"
#include "engine/records/fence.h"
#include "engine/training/shared_folder.h"

namespace trainyard {

class GroupMaker;

/// The folders `checkpoints` of a run: one that all ranks see, or one on each host, which hold a checkpoint
/// together (engine/checkpoint/FORMAT.md, "Hosts without a shared folder"). The lowest rank of a folder leads
/// it: it changes names there and sends and receives shards. The head is the host of rank 0. All ranks make
/// the same calls, but for those that say otherwise, and get the same answer or error.
class CheckpointStores {
public:
    /// The world group and the maker outlive this object. `createsFolders`: also on hosts that have
    /// none, and takes them from older attempts.
    static Result<CheckpointStores> find(ProcessGroup& world, GroupMaker& maker,
                                         const std::filesystem::path& folder, const FolderSharing& sharing,
                                         bool createsFolders, const Fence& fence);

    int count() const { return m_stores.count(); }
    bool createsFolders() const { return m_createsFolders; }
    int mine() const { return storeOf(m_world->rank().value); }
    int storeOf(int rank) const { return m_stores.storeOf[static_cast<std::size_t>(rank)]; }
    /// This rank leads its host's folder.
    bool leads() const;
    /// This rank leads a folder other than the head's.
    bool leadsElsewhere() const { return leads() && !m_world->isFirst(); }
    /// Names without two alike, by number of the folder.
    const std::vector<std::string>& hosts() const { return m_hosts; }
    /// Between the leaders, whose rank in them is the number of the folder. Only on a leader of several.
    const MessageLinks& links() const { return *m_links; }

    /// Where the run starts, once every host's folder is in order for that.
    struct Start {
        StartPoint point;
        CheckpointManifest manifest{}; ///< of the checkpoint, if there is one
        std::string hash{};            ///< of the manifest
        bool headHasAll = true;        ///< every shard is on the head
    };
    /// As prepareStart(), of all hosts together. Errors likewise; then nothing is changed but what completes
    /// an interrupted publication, makes checkpoints known to the head, and names those of a line that a host
    /// has missed to leave.
    Result<Start> chooseStart();

    /// Whether this host's folder has a slice that was not given up. No collective.
    bool isHere(const Start& start, const TensorSlice& slice) const;
    /// Whether a host other than the head has any shard of the checkpoint. No collective.
    bool othersHold(const Start& start) const;
    /// As far as is known since the last start. Any thread, no collective.
    bool isWhole(const CheckpointName& name) const;
    /// Brings what this host's ranks want from the hosts that have it. Failed when a disk is full, or gives
    /// no slice that no other host has; BadInput when all copies of one are wrong, Unreachable when hosts
    /// that are absent may have another.
    Result<BroughtSlices> fetch(const Start& start, const std::vector<ShardWant>& wants);
    /// Removes what fetch() has brought. No collective.
    void removeFetched(const Start& start) const;

    /// After fetch(): gives up the slices that each rank could not use, on the hosts that they were read
    /// from, so that the next fetch() brings other copies. Returns whether there are any.
    bool giveUp(const Start& start, const std::vector<SliceFault>& faults);
    /// What was given up since the last call, a sentence for each file.
    std::vector<std::string> takeRemarks();

    /// Sets a checkpoint aside on the head, because its content is wrong; chooseStart() then does so on the
    /// others. Returns its new name on rank 0.
    Result<CheckpointName> setAside(const Start& start);

private:
    CheckpointStores(ProcessGroup& world, std::filesystem::path folder, Fence fence, FolderStores stores,
                     bool createsFolders);

    void nameHosts();
    Status compareFolders();
    Result<StartView> compareHistories();
    Status followHistoryEverywhere(const LineRecord& history);
    Status finishPublicationsEverywhere();
    Status completeHeadsNames();
    std::vector<std::string> hostsToRecord() const;
    StartView viewOfOneFolder() const;
    Result<std::string> manifestFrom(std::size_t store, const std::string& folderName);
    CheckpointHealth examine(const CheckpointName& name) const;
    Status followHeadEverywhere();
    Status takeManifest(Start& start);
    std::filesystem::path fetched(const Start& start) const;
    Result<std::vector<ShardTransfer>> planFetch(const Start& start, const std::vector<ShardWant>& wants);
    bool shareLost(const Start& start, const std::vector<LostSlice>& mine);
    const StoreInventory& myInventory() const { return m_inventories[static_cast<std::size_t>(mine())]; }

    ProcessGroup* m_world;
    std::filesystem::path m_folder;
    Fence m_fence;
    FolderStores m_stores;
    bool m_createsFolders;
    std::vector<std::string> m_hosts;
    std::unique_ptr<MessageLinks> m_links;     ///< null: one folder, or this rank does not lead
    std::vector<StoreInventory> m_inventories; ///< of all folders; empty: there is one
    std::vector<ShardTransfer> m_brought;      ///< by the last fetch()
    std::vector<LostSlice> m_lost;             ///< of the checkpoint that the run starts from
    std::vector<std::string> m_remarks;
};

} // namespace trainyard
