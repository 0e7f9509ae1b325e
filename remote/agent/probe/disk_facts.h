#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

/// Describes the disk of `folder`, or of its nearest existing parent: {path, filesystem, writable, noexec,
/// total, free, inodes_free, quota}. Tests `writable` by creating a file, because only that detects a
/// read-only or full disk. `quota` is {limit, used} in bytes of this user on that disk, null where there is
/// none or it cannot be known (network disks keep it on the server).
nlohmann::json diskFacts(std::filesystem::path folder);

/// As diskFacts() for the user's home; null without one.
nlohmann::json homeFacts();

nlohmann::json sharedMemoryFacts(); ///< /dev/shm: {total, free}

} // namespace trainyard::agent
