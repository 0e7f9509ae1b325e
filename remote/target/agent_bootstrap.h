#pragma once

#include <string>

#include "engine/base/result.h"
#include "remote/ssh/channel.h"
#include "remote/ssh/interaction.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/session.h"
#include "remote/target/agent_file.h"

namespace trainyard {

enum class AgentMode {
    Full,
    ReadOnly ///< it refuses whatever would change something
};

/// A channel to a greeted agent, and the bytes after the greeting.
struct AgentChannel {
    ssh::Channel channel;
    std::string rest;
};

/// Starts the agent on the other side of a session, after uploading it when it is missing or damaged: starts
/// it only when its hash is that of `agent`, where the host can compute one. Uses three constant shell
/// commands, free of quotes, newlines and '!' so that every login shell (also fish and csh) passes them on;
/// everything variable goes over stdin. Stores the agent under agents/<sha256>/ of `$TRAINYARD_HOME`,
/// `~/.trainyard` or, when nothing may be executed there, /var/tmp/trainyard-<uid>: several versions exist
/// side by side. Blocks the session's thread; leaves the session non-blocking.
Result<AgentChannel> startAgent(ssh::Session& session, const AgentFile& agent, const std::string& nonce,
                                AgentMode mode, ssh::Interaction& interaction,
                                const ssh::Interrupt& interrupt);

} // namespace trainyard
