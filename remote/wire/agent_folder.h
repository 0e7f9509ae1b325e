#pragma once

#include <filesystem>

namespace trainyard {

/// The folder of this machine's agent: $TRAINYARD_HOME, else ~/.trainyard. Over SSH the agent is started by
/// the same rule, in the host's shell (remote/target/agent_bootstrap.cpp), which sets the variable.
std::filesystem::path agentFolder();

} // namespace trainyard
