#pragma once

#include <string>
#include <vector>

namespace trainyard::agent {

/// ssh from this host to another one, when nobody is there to be asked: it ends with an error instead of a
/// question, and goes only to hosts whose key is known. `options` are further ones for its -o, empty ones
/// count as none. The host and what is to run there follow.
std::vector<std::string> sshCommand(const std::vector<std::string>& options);

} // namespace trainyard::agent
