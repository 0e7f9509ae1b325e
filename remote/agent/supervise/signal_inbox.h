#pragma once

#include <chrono>
#include <vector>

#include "engine/base/file.h"

namespace trainyard::agent {

/// SIGCHLD, SIGTERM, SIGINT and SIGHUP as something to be read: they interrupt this process no more, nor do
/// the threads that it starts from now on.
class SignalInbox {
public:
    SignalInbox();
    /// Those that came, oldest first; waits for one if there is none. Empty when `patience` is over.
    std::vector<int> wait(std::chrono::milliseconds patience);

private:
    FileDescriptor m_signals;
};

} // namespace trainyard::agent
