#pragma once

#include <string>

#include "engine/base/file.h"
#include "engine/base/result.h"

namespace trainyard::link {

/// Makes a TAP interface in the network namespace of process `pid` (0 = our own) and returns its
/// non-blocking descriptor: each read is one Ethernet frame that was sent through the interface, each write
/// one that comes in by it. The interface goes with the descriptor, and the namespace stays while it is open.
/// Moves the calling thread into that namespace for a moment; for programs with one thread.
Result<FileDescriptor> makeTap(const std::string& name, int pid);

} // namespace trainyard::link
