#pragma once

#include "remote/preflight/engine_needs.h"
#include "remote/preflight/host_report.h"

namespace trainyard {

/// Judges a host that answered, on its own: every row with what was found and, where something is in the way
/// or should be looked at, with the fix. `engine` is what would be sent there; this machine runs its own.
HostReport judgeHost(const HostFacts& facts, const EngineNeeds& engine);

} // namespace trainyard
