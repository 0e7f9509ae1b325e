#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "remote/ssh/host_name.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

/// Values that override the ssh configuration.
struct HostOverrides {
    std::string user;
    int port = 0;
    std::string configFile; ///< empty = the user's and the system's; "none" = no file
    std::vector<std::string> identityFiles;
    std::string knownHostsFile;
    bool useAgent = true;
};

/// How to reach one host, with the ssh configuration applied.
struct HostConfig {
    std::string alias;   ///< as the user calls it
    std::string address; ///< host name or address to connect to
    int port = 22;
    AddressFamily family = AddressFamily::Any;
    std::string user;
    std::vector<std::string> jumpHosts;                 ///< [user@]host[:port], nearest to us first
    std::string proxyCommand;                           ///< as configured, with its tokens; empty = none
    std::optional<std::chrono::seconds> connectTimeout; ///< nullopt = not configured

    std::string hostKeyAlias; ///< looked up in known_hosts instead of the address; empty = none
    std::vector<std::filesystem::path> userKnownHosts; ///< the first one is extended
    std::vector<std::filesystem::path> globalKnownHosts;
    bool hashKnownHosts = false;
    bool askAboutUnknownKeys = true; ///< StrictHostKeyChecking yes = refuse them instead

    std::vector<std::filesystem::path> identityFiles;
    std::vector<std::filesystem::path> certificateFiles; ///< besides FILE-cert.pub of each identity file
    bool identitiesOnly = false; ///< offer only keys whose public half lies beside an identity file
    std::string agentSocket;     ///< empty = no agent
    bool publicKeys = true;      ///< PubkeyAuthentication, and so on
    bool keyboardInteractive = true;
    bool passwords = true;
    bool mayAsk = true;      ///< BatchMode yes = nobody is there to be asked for a secret
    int passwordPrompts = 3; ///< how often a wrong answer may be given again

    std::chrono::seconds aliveInterval{0}; ///< ServerAliveInterval; 0 = not configured
    int aliveCountMax = 3;

    std::vector<std::string> notices; ///< options that are ignored

    /// The name of the host in known_hosts: "gpu-03" or "[gpu-03]:2222".
    std::string knownHostsName() const;
    /// The account on that host: "alice@[gpu-03]:2222".
    std::string account() const { return user + '@' + knownHostsName(); }
};

/// Asks OpenSSH (`ssh -G`), so that the result is what the user's own `ssh` would do; without OpenSSH uses
/// ssh's defaults, with a notice when a configuration was ignored. BadInput carries ssh's own message about a
/// wrong configuration.
Result<HostConfig> resolveHost(const HostName& name, const HostOverrides& overrides,
                               const Interrupt& interrupt);

/// Parses the output of `ssh -G` for resolveHost(). Names of files may have `~`, the tokens of ssh_config(5)
/// and
/// `${VARIABLE}`; BadInput names a variable that is not set.
Result<HostConfig> parseSshConfigDump(const HostName& name, std::string_view dump);

} // namespace trainyard::ssh
