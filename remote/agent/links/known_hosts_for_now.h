#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::agent {

/// A known_hosts file that exists as long as this object, for ssh from this host to others. Without lines
/// there is none.
class KnownHostsForNow {
public:
    /// `lines` must have passed checkKnownHosts().
    KnownHostsForNow(const std::filesystem::path& folder, const std::vector<std::string>& lines);
    KnownHostsForNow(const KnownHostsForNow&) = delete;
    KnownHostsForNow& operator=(const KnownHostsForNow&) = delete;
    ~KnownHostsForNow();

    /// For sshCommand(); empty without a file.
    const std::string& option() const { return m_option; }

private:
    std::filesystem::path m_file;
    std::string m_option;
};

} // namespace trainyard::agent
