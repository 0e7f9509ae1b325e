#pragma once

#include <filesystem>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

/// The disk of `folder`, or of the first folder above it that exists: {path, filesystem, writable, noexec,
/// total, free, inodes_free, quota}. `writable` is tried with a file, because a read-only disk and a full one
/// say so only then. `quota` is {limit, used} in bytes of this user on that disk, null where there is none or
/// where it cannot be known (network disks keep theirs on the server).
nlohmann::json diskFacts(std::filesystem::path folder);

/// As diskFacts() for the user's home; null without one.
nlohmann::json homeFacts();

nlohmann::json sharedMemoryFacts(); ///< /dev/shm: {total, free}

} // namespace trainyard::agent
