#pragma once

#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/ssh/host_config.h"
#include "remote/ssh/interrupt.h"

namespace trainyard::ssh {

/// Returns the hosts on the way to `host`, nearest to us first and `host` last. Follows ProxyJump as ssh
/// does: through the named hosts and, where the first of them needs jump hosts itself, through those before.
/// Only the first one may be reached by a ProxyCommand. Refused when the route forms a loop or has more than
/// 16 hosts.
Result<std::vector<HostConfig>> findRoute(const std::string& host, const HostOverrides& overrides,
                                          const Interrupt& interrupt);

} // namespace trainyard::ssh
