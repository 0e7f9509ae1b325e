#pragma once

#include <chrono>
#include <vector>

#include "engine/base/file.h"

namespace trainyard::agent {

/// Delivers SIGCHLD, SIGTERM, SIGINT and SIGHUP for reading: they no longer interrupt this process or the
/// threads that it starts from now on.
class SignalInbox {
public:
    SignalInbox();
    /// Returns the signals received, oldest first; waits for one if there is none. Empty after `patience`.
    std::vector<int> wait(std::chrono::milliseconds patience);

private:
    FileDescriptor m_signals;
};

} // namespace trainyard::agent
