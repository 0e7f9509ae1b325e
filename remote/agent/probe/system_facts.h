#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace trainyard::agent {

std::string osName();   ///< "Debian GNU/Linux 12 (bookworm)"
std::string userName(); ///< from the environment; empty when unknown
/// Type of the file system that holds `path`, as in /proc/self/mounts: "ext4", "nfs4".
std::string fileSystemOf(const std::filesystem::path& path);

nlohmann::json cpuFacts();    ///< {model, cores, flags}
nlohmann::json interfaces();  ///< [{name, address, prefix}], IPv4, up, without loopback
nlohmann::json logindFacts(); ///< {kill_user_processes, linger}, null where unknown

} // namespace trainyard::agent
