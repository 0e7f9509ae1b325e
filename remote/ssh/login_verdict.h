#pragma once

#include "engine/base/result.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// The server's answer to one attempt to log in.
enum class LoginVerdict {
    Accepted,
    Partial, ///< right, and it wants more (AuthenticationMethods)
    Denied,
};

/// Interprets the result of a ssh_userauth_* call on a blocking session. Refused when the server closed the
/// connection with a reason, because automatic retries would only get us banned; Unreachable when the
/// connection broke or timed out.
Result<LoginVerdict> readLoginVerdict(const Session& session, int code);

} // namespace trainyard::ssh
