#pragma once

#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard::ssh {

/// A host as the user types it: `gpu-03`, `alice@gpu-03`, `gpu-03:2222`, an alias of the ssh configuration,
/// an address (`fe80::1`, `[fe80::1]:2222`) or `ssh://alice@gpu-03:2222`.
struct HostName {
    std::string user; ///< empty = not given
    std::string host; ///< without brackets
    int port = 0;     ///< 0 = not given
};

/// Accepts letters, digits, '.', '-', '_' and, for addresses, ':' only, and no '-' in front, so that no later
/// step (ssh -G, a known_hosts line, a log) can take the name for an option, a pattern or a command.
/// BadInput names the first character that is not allowed.
Result<HostName> parseHostName(std::string_view text);

/// Parses the whole of `text` as a port.
Result<int> parsePort(std::string_view text);

} // namespace trainyard::ssh
