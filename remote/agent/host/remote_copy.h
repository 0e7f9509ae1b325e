#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// A file as a remote shell reaches it.
struct RemoteFile {
    std::vector<std::string> shell; ///< words before the host: ssh and its options
    std::string host;
    std::filesystem::path path;
};

/// Copies the content to `to`, which is created or emptied, and does not sync it. BadInput, with the last
/// words of the shell, when the host does not give the file, and when nothing comes for `patience`; Failed
/// when it cannot be written here. Leaves no process behind. One thread.
Status copyFrom(const RemoteFile& file, const std::filesystem::path& to, std::chrono::milliseconds patience);

} // namespace trainyard::agent
