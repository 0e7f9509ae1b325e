#pragma once

#include "engine/base/result.h"
#include "remote/ssh/host_config.h"
#include "remote/ssh/interaction.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// Proves who we are by public key: first with the keys of the ssh-agent, then with the key files; asks for a
/// passphrase only after the server has said that it would take that key. Offers at most five keys, because
/// servers hang up at six (MaxAuthTries). Refused says which keys were offered and what to do.
Status authenticate(Session& session, const HostConfig& host, Interaction& interaction,
                    const Interrupt& interrupt);

} // namespace trainyard::ssh
