#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/channel.h"
#include "remote/ssh/interrupt.h"
#include "remote/ssh/known_hosts.h"

struct ssh_session_struct;

namespace trainyard::ssh {

/// One SSH connection. Owns the socket. Used by one thread at a time, which is libssh's rule; every call ends
/// within its time limit, because libssh 0.10 waits for ever without one.
class Session {
public:
    struct Options {
        std::string host; ///< for messages and the host key alone; the socket is connected already
        std::string user;
        std::chrono::seconds timeout{10};
        std::vector<std::string> keyTypes; ///< host key types to ask for first, as in known_hosts
    };
    /// Exchanges keys over a connected socket. Nothing is trusted yet: check hostKey() next.
    static Result<Session> handshake(FileDescriptor socket, const Options& options);
    Session(Session&&) noexcept;
    ~Session();

    HostKey hostKey() const;

    /// The library's handle, for authentication.
    ssh_session_struct* handle() const { return m_session.get(); }
    int socket() const;
    /// The library's message after an error.
    std::string libraryError() const;
    bool connected() const;

    /// Starts a command without a terminal. In blocking mode; retries for 1.5 s while the host still has
    /// another of our sessions open.
    Result<Channel> execute(const std::string& command);
    /// Opens a connection from the server onwards to host:port (ProxyJump).
    Result<Channel> forward(const std::string& host, int port);

    /// From here on calls on channels return immediately; see waitForTraffic().
    void setNonBlocking();
    void setBlocking();
    /// Waits until the socket is readable (or writable, when output is pending), `wakeFd` is readable, or the
    /// time is over.
    void waitForTraffic(int wakeFd, std::chrono::milliseconds patience) const;
    /// Returns true while the library holds output that the network does not accept.
    bool outputPending() const;

private:
    struct Free {
        void operator()(ssh_session_struct* session) const;
    };
    explicit Session(ssh_session_struct* session);
    Result<Channel> open(std::string_view command);
    Error failure(const std::string& what) const;

    std::unique_ptr<ssh_session_struct, Free> m_session;
};

} // namespace trainyard::ssh
