#pragma once

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

/// A connected, non-blocking socket set up to notice a dead peer: keep-alive probes after 10 s, and
/// unacknowledged data for 15 s ends the connection. Tries every address of the host; Unreachable says which
/// addresses and why. Not even a name server that hangs keeps it beyond the deadline.
Result<FileDescriptor> connectTcp(const Destination& to, Interrupt& interrupt, Deadline deadline);

} // namespace trainyard::ssh
