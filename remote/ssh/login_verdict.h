#pragma once

#include "engine/base/result.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// What the server said to one attempt to log in.
enum class LoginVerdict {
    Accepted,
    Partial, ///< right, and it wants more (AuthenticationMethods)
    Denied,
};

/// Reads the code of a ssh_userauth_* call on a session in blocking mode. Refused when the server ended the
/// connection with a reason, because trying again by itself would only get us banned; Unreachable when the
/// connection broke or the time limit passed.
Result<LoginVerdict> readLoginVerdict(const Session& session, int code);

} // namespace trainyard::ssh
