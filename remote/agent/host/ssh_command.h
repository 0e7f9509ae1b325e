#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Returns the start of an ssh command from this host to another one that never prompts: it fails instead,
/// and connects only to hosts with a known key. Passes each non-empty entry of `options` with -o. The caller
/// appends the host and the command.
std::vector<std::string> sshCommand(const std::vector<std::string>& options);

/// Checks lines of known_hosts with host keys that the client has verified ("gpu-02,10.0.0.2 ssh-ed25519
/// AAAA..."); with them this host's ssh reaches the others without manual set-up. BadInput for a line that is
/// not host names, a key type and a key: markers, patterns and comments are not allowed.
Status checkKnownHosts(const std::vector<std::string>& lines);

/// Writes the lines after those of /etc/ssh/ssh_known_hosts, which the option below replaces. ssh still reads
/// the user's own file, and one matching line is enough.
Status writeKnownHosts(const std::filesystem::path& file, const std::vector<std::string>& lines);

/// Returns the value for ssh's -o. Empty when the path has characters that ssh or mpirun would split.
std::string knownHostsOption(const std::filesystem::path& file);

} // namespace trainyard::agent
