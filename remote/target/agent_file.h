#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// The local executable of the agent.
struct AgentFile {
    std::string path;
    std::string sha256;
};

/// Caches the hashes of agents' executables: reads a file again only when it changed, so that a reconnection
/// does not start with reading ten megabytes. Any thread.
class AgentFiles {
public:
    /// BadInput when it cannot be read.
    Result<AgentFile> find(const std::string& path);

private:
    std::mutex m_mutex; ///< guards m_known; held while a file is read, because all wait for the same one
    std::map<std::string, std::string>
        m_known; ///< what tells one version of a file from another, and its hash
};

} // namespace trainyard
