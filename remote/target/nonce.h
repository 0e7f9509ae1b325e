#pragma once

#include <string>

namespace trainyard {

/// Returns fresh random hex digits for the agent's greeting (remote/agent/PROTOCOL.md).
std::string makeNonce();

} // namespace trainyard
