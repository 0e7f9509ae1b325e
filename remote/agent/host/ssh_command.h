#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// ssh from this host to another one, when nobody is there to be asked: it ends with an error instead of a
/// question, and goes only to hosts whose key is known. `options` are further ones for its -o, empty ones
/// count as none. The host and what is to run there follow.
std::vector<std::string> sshCommand(const std::vector<std::string>& options);

/// Lines of known_hosts that the desk vouches for ("gpu-02,10.0.0.2 ssh-ed25519 AAAA..."), because it has
/// verified these hosts' keys itself: so that this host's ssh reaches them without set-up by hand.
///
/// BadInput for a line that is not plain names, a type and a key: no markers, no patterns, no comments.
Status checkKnownHosts(const std::vector<std::string>& lines);

/// Writes them behind what the whole machine knows (/etc/ssh/ssh_known_hosts), for the option below takes the
/// place of that. The user's own file counts in any case, and one good line is enough for ssh.
Status writeKnownHosts(const std::filesystem::path& file, const std::vector<std::string>& lines);

/// For ssh's -o. Empty when the path has characters that ssh or mpirun would take apart.
std::string knownHostsOption(const std::filesystem::path& file);

} // namespace trainyard::agent
