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

/// Proves who we are: with keys (KeyLogin), then by answering what the server asks, then with the password
/// (PromptLogin); several steps when the server wants them. Nothing that was denied is tried again by itself.
/// Refused says what was tried and what to do.
Status authenticate(Session& session, const Hop& hop, Interaction& interaction, const Interrupt& interrupt);

} // namespace trainyard::ssh
