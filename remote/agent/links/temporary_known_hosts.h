#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::agent {

/// A known_hosts file that exists as long as this object, for ssh from this host to others. Without lines
/// there is none.
class TemporaryKnownHosts {
public:
    /// `lines` must have passed checkKnownHosts().
    TemporaryKnownHosts(const std::filesystem::path& folder, const std::vector<std::string>& lines);
    TemporaryKnownHosts(const TemporaryKnownHosts&) = delete;
    TemporaryKnownHosts& operator=(const TemporaryKnownHosts&) = delete;
    ~TemporaryKnownHosts();

    /// For sshCommand(); empty without a file.
    const std::string& option() const { return m_option; }

private:
    std::filesystem::path m_file;
    std::string m_option;
};

} // namespace trainyard::agent
