#include "remote/ssh/login_verdict.h"

#include <libssh/libssh.h>

#include "remote/ssh/plain_text.h"

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxMessageLength = 500;

/// libssh's own words for what a server said last: "Received SSH_MSG_DISCONNECT: 2:Too many ...".
Error hungUp(const std::string& words)
{
    const std::string said = plainText(words, kMaxMessageLength);
    // "Packet corrupt" is what OpenSSH says to bytes that were changed on the way: the next attempt may do
    // better.
    if (words.find("SSH_MSG_DISCONNECT") == std::string::npos || words.find("corrupt") != std::string::npos)
        return unreachable("the connection broke during authentication: " + said);
    return refused("the host hung up during authentication: " + said,
                   "it allows few attempts (MaxAuthTries); name the right key with IdentityFile and "
                   "IdentitiesOnly in the ssh configuration");
}

} // namespace

Result<LoginVerdict> readLoginVerdict(const Session& session, int code)
{
    switch (code) {
    case SSH_AUTH_SUCCESS:
        return LoginVerdict::Accepted;
    case SSH_AUTH_PARTIAL:
        return LoginVerdict::Partial;
    case SSH_AUTH_DENIED:
        return LoginVerdict::Denied;
    default:
        break;
    }
    const std::string words = session.libraryError();
    // libssh 0.10 goes on waiting after the server has hung up: what looks like silence may be that.
    if (!session.connected() || words.find("SSH_MSG_DISCONNECT") != std::string::npos)
        return hungUp(words);
    if (code == SSH_AUTH_AGAIN)
        return unreachable("the host did not answer during authentication");
    return LoginVerdict::Denied; // such as a key of a type that this server does not take
}

} // namespace trainyard::ssh
