#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/checkpoint_name.h"
#include "engine/checkpoint/format/line_record.h"

namespace trainyard {

/// What one folder `checkpoints` holds of a checkpoint.
struct StoredCheckpoint {
    CheckpointName name;
    /// False: complete and synced in `.step-*.partial`, but not published before an interruption.
    bool isPublished = true;
    /// XXH3-64 of manifest.json: which checkpoint it is, whatever its name. Empty: the manifest is wrong or
    /// cannot be read, and only the name is known.
    std::string hash;
    std::vector<std::string> shards; ///< those here with the header and the size that the manifest gives
    std::string unreadable{};        ///< why the manifest or a shard cannot be read now; empty: all could
    std::string wrong{};             ///< what is wrong with the manifest; empty: nothing
    std::string replaces{};          ///< as in the manifest

    /// `folder` is the one of this name.
    static StoredCheckpoint read(const std::filesystem::path& folder, const CheckpointName& name,
                                 bool isPublished = true);
    bool operator==(const StoredCheckpoint&) const = default;
};

/// What one folder `checkpoints` holds, of a run whose hosts keep checkpoints on disks of their own.
struct StoreInventory {
    std::string host;
    LineRecord record;
    std::vector<StoredCheckpoint> checkpoints; ///< published and prepared ones

    /// A missing folder is an empty one. Refused when it cannot be read.
    static Result<StoreInventory> read(const std::filesystem::path& checkpoints, std::string host);

    /// The published checkpoint with this hash; null: there is none.
    const StoredCheckpoint* find(const std::string& hash) const;
    const StoredCheckpoint* find(const CheckpointName& name) const;

    /// A new disk, or one that is not mounted.
    bool isBlank() const;

    bool operator==(const StoreInventory&) const = default;
};

/// For other ranks of the same program.
std::string toText(const StoreInventory& inventory);
StoreInventory inventoryFromText(const std::string& text);

} // namespace trainyard
