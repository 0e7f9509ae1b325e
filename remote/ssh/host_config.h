#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "remote/ssh/host_name.h"
#include "remote/ssh/interrupt.h"

namespace trainyard::ssh {

/// Values of the user's own that win over the ssh configuration.
struct HostOverrides {
    std::string user;
    int port = 0;
    std::string configFile; ///< empty = the user's and the system's; "none" = no file
    std::vector<std::string> identityFiles;
    std::string knownHostsFile;
    bool useAgent = true;
};

/// How to reach one host, after the ssh configuration was applied.
struct HostConfig {
    std::string alias;   ///< as the user calls it
    std::string address; ///< host name or address to connect to
    int port = 22;
    std::string user;
    std::string hostKeyAlias; ///< looked up in known_hosts instead of the address; empty = none
    std::vector<std::filesystem::path> identityFiles;
    bool identitiesOnly = false; ///< offer only keys whose public half lies beside an identity file
    std::string agentSocket;     ///< empty = no agent
    std::vector<std::filesystem::path> userKnownHosts; ///< the first one is extended
    std::vector<std::filesystem::path> globalKnownHosts;
    std::vector<std::string> jumpHosts; ///< [user@]host[:port], nearest to us first
    std::vector<std::string> notices;   ///< options that are not followed

    /// The name under which known_hosts has the key: "gpu-03" or "[gpu-03]:2222".
    std::string knownHostsName() const;
};

/// Asks OpenSSH (`ssh -G`), so that the answer is what the user's own `ssh` would do; without OpenSSH the
/// defaults of ssh. BadInput carries ssh's own message about a wrong configuration.
Result<HostConfig> resolveHost(const HostName& name, const HostOverrides& overrides,
                               const Interrupt& interrupt);

/// The reading half of resolveHost: what `ssh -G` prints.
Result<HostConfig> parseSshConfigDump(const HostName& name, std::string_view dump);

} // namespace trainyard::ssh
