#pragma once

#include <map>
#include <mutex>
#include <string>

#include "engine/base/result.h"

namespace trainyard {

/// The agent's executable as this desk has it.
struct AgentFile {
    std::string path;
    std::string sha256;
};

/// Knows the hashes of agents' executables: a file is read again only when it changed, so that coming back to
/// a host does not start with reading ten megabytes. Any thread.
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
