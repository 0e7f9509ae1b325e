#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

enum class CheckpointState {
    Complete,   ///< as far as examined
    Damaged,    ///< its content is wrong; reading again will not help
    Unreadable, ///< cannot be read now, or not by this version: it may be complete
    Incomplete, ///< a part is on hosts that take no part, or on disks that are not there now
};

/// "whole", "damaged", "unreadable", "incomplete": as the protocol and `checkpoints --json` have them.
std::string_view nameOf(CheckpointState state);

struct CheckpointHealth {
    CheckpointState state = CheckpointState::Complete;
    std::string reason{};  ///< why it is not complete: the file and what is wrong with it; or what is elsewhere
    bool verified = false; ///< every byte of every tensor was compared with its hash
};

/// Looks at the manifest with its hash, and at the header and the size of every shard: milliseconds, whatever
/// the tensors weigh. `folder` is one `step-...`. Shards that the manifest also places on other hosts may be
/// missing or cut off: whether a host of an attempt has them shows when its ranks meet (`healthOver()`).
CheckpointHealth examineIndex(const std::filesystem::path& folder);

/// As examineIndex(), and then compares every slice here with its hash. Ends early, with the result of
/// examineIndex(), when `goesOn`, called every few MB, returns false.
CheckpointHealth verifyContent(const std::filesystem::path& folder, const std::function<bool()>& goesOn);

/// The size of its files on disk.
std::uint64_t bytesOf(const std::filesystem::path& folder);

} // namespace trainyard
