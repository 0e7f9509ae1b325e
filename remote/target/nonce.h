#pragma once

#include <string>

namespace trainyard {

/// Fresh random hex digits for the agent's greeting (remote/agent/PROTOCOL.md).
std::string makeNonce();

} // namespace trainyard
