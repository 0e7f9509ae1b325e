#pragma once

#include "engine/base/result.h"
#include "remote/ssh/host_config.h"
#include "remote/ssh/interaction.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// One host of a connection, and the jump host in front of it (empty = none).
struct Hop {
    const HostConfig& host;
    const std::string& via;
};

/// Authenticates the user: with keys (KeyLogin), then by answering the server's questions, then with the
/// password (PromptLogin); in several steps when the server requires them. Never retries a denied credential
/// by itself. Refused states the methods tried and what to do.
Status authenticate(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt);

} // namespace trainyard::ssh
