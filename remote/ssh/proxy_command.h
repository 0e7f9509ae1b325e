#pragma once

#include <memory>
#include <string>

#include <sys/types.h>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/host_config.h"

namespace trainyard::ssh {

/// A ProxyCommand: a child process whose stdin and stdout carry the connection. Runs it in the user's shell
/// as OpenSSH does, but in a separate session, so that Ctrl+C does not reach it and it cannot prompt on the
/// terminal. It inherits none of our file descriptors.
class ProxyCommand {
public:
    /// Unreachable when the shell cannot be started.
    static Result<ProxyCommand> start(const std::string& command);
    ProxyCommand(ProxyCommand&&) noexcept;
    /// Ends the child with its process group.
    ~ProxyCommand();

    /// The near end of the connection, non-blocking.
    FileDescriptor takeSocket() { return std::move(m_near); }

    /// For the message about a failed connection: how the command ended and its stderr, as plain text; empty
    /// when there is neither. Waits a moment for a command that is just ending.
    std::string lastWords() const;

private:
    ProxyCommand(FileDescriptor near, FileDescriptor errors, pid_t child);

    FileDescriptor m_near;
    FileDescriptor m_errors;
    pid_t m_child = -1; ///< leads its process group; waited for at our end, so the id stays its own till then
};

/// Expands %h, %n, %p, %r and %%. Refused when the user name has characters that a shell would interpret;
/// host names cannot have them.
Result<std::string> expandProxyCommand(const HostConfig& host);

} // namespace trainyard::ssh
