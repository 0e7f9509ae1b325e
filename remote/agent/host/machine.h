#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

std::string hostName();
/// Changes with every boot; tells a restarted machine from a running one.
std::string bootId();
/// Of the installed system, from /etc/machine-id; the same after a boot. Empty when there is none.
std::string machineId();
/// Tells two network namespaces of one machine apart: "net:[4026531840]".
std::string networkNamespace();
/// Processors that this process may use.
int usableCores();
/// How many processes of this machine the kernel has killed for lack of memory since it started; 0 where it
/// does not count them.
std::uint64_t outOfMemoryKills();
/// This very program.
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
