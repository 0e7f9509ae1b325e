#pragma once

#include <optional>
#include <string>

#include "engine/base/result.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/session.h"

namespace trainyard {

/// Output of one of our commands on a host where it did not start.
struct FailedStart {
    std::string words;             ///< what came on stderr, or else on stdout; as plain text
    std::optional<int> exitStatus; ///< nullopt = ended by a signal, or not told
};

/// Finds the reason: an expired password, an account for file transfer only, one without a login shell, a
/// forced command, or a shell that works but cannot start the agent. Runs one more harmless command on the
/// host, so no other channel may be open (MaxSessions 1). Blocks the session's thread for at most some
/// seconds.
Error explainFailedStart(ssh::Session& session, const FailedStart& start, const ssh::Interrupt& interrupt);

} // namespace trainyard
