#pragma once

#include <memory>
#include <thread>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/session.h"

namespace trainyard::ssh {

/// Carries one onward connection through a jump host, in a separate thread that becomes the only user of the
/// session. The other end is a socket, so that a second session runs over it as over TCP. libssh's own
/// ProxyJump would start a shell running ssh and lose the reason of a failure.
class ForwardPump {
public:
    /// Unreachable when the jump host cannot reach host:port.
    static Result<ForwardPump> start(Session session, const std::string& host, int port);
    ForwardPump(ForwardPump&&) = default;
    ~ForwardPump();

    /// The near end of the carried connection, non-blocking.
    FileDescriptor takeSocket() { return std::move(m_near); }

private:
    ForwardPump(FileDescriptor near, FileDescriptor stop, std::thread thread);

    FileDescriptor m_near;
    FileDescriptor m_stop; ///< closing it ends the thread
    std::thread m_thread;
};

} // namespace trainyard::ssh
