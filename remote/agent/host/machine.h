#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/host_name.h"
#include "engine/base/result.h"

namespace trainyard::agent {

/// Returns an id that changes with every boot.
std::string bootId();
/// Returns the id of the installed system, from /etc/machine-id; it survives reboots. Empty when there is
/// none.
std::string machineId();
/// Returns an id of the network namespace, such as "net:[4026531840]".
std::string networkNamespace();
/// Returns the number of processors that this process may use.
int usableCores();
/// Returns their numbers; empty where the kernel does not tell them.
std::vector<int> usableProcessors();
/// Returns how many processes of this machine the kernel has killed for lack of memory since boot; 0 where it
/// does not count them.
std::uint64_t outOfMemoryKills();
/// Returns the path of the running executable.
std::filesystem::path ownProgram();

struct DiskSpace {
    std::uint64_t total = 0;
    std::uint64_t free = 0;        ///< for an ordinary user
    std::uint64_t inodesTotal = 0; ///< 0 where the file system does not count them
    std::uint64_t inodesFree = 0;
    bool noexec = false;
};
Result<DiskSpace> diskSpace(const std::filesystem::path& path);

} // namespace trainyard::agent
