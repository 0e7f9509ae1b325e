#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/host_config.h"

namespace trainyard::ssh {

/// A ProxyCommand: a child process whose stdin and stdout carry the connection. It runs as OpenSSH runs it,
/// by the user's shell, in a session of its own, so that Ctrl+C does not reach it and it cannot ask on the
/// terminal. It gets none of our file descriptors.
class ProxyCommand {
public:
    /// Unreachable when the shell cannot be started.
    static Result<ProxyCommand> start(const std::string& command);
    ProxyCommand(ProxyCommand&&) noexcept;
    /// Ends the child with everything that it started.
    ~ProxyCommand();

    /// The near end of the connection, non-blocking.
    FileDescriptor takeSocket() { return std::move(m_near); }

    /// For the message about a connection that failed: how the command ended and what it wrote to stderr, as
    /// plain text; empty when there is nothing to tell. Waits a moment for a command that is just ending.
    std::string lastWords() const;

private:
    ProxyCommand(FileDescriptor near, FileDescriptor errors, pid_t child);

    FileDescriptor m_near;
    FileDescriptor m_errors;
    pid_t m_child = -1; ///< leads its process group; waited for at our end, so the id stays its own till then
};

/// Fills in %h, %n, %p, %r and %%. Refused when the user's name has characters that a shell would take for
/// its own; host names cannot have them.
Result<std::string> expandProxyCommand(const HostConfig& host);

} // namespace trainyard::ssh
