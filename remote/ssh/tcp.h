#pragma once

#include <array>
#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"
#include "remote/ssh/interrupt.h"

namespace trainyard::ssh {

enum class AddressFamily { Any, Inet, Inet6 };

struct Destination {
    std::string host; ///< name or address
    int port = 22;
    AddressFamily family = AddressFamily::Any;
};

/// Returns a connected, non-blocking socket set up to notice a dead peer: keep-alive probes after 10 s, and
/// unacknowledged data for 15 s ends the connection. Tries every address of the host; Unreachable lists the
/// addresses with the reasons. Even a name server that hangs cannot exceed the deadline.
Result<FileDescriptor> connectTcp(const Destination& to, Interrupt& interrupt, Deadline deadline);

/// Two connected sockets of this process. `flags` as for socketpair(), such as SOCK_NONBLOCK.
Result<std::array<FileDescriptor, 2>> makeSocketPair(int flags = 0);

} // namespace trainyard::ssh
