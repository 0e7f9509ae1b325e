#pragma once

#include <atomic>
#include <chrono>
#include <mutex>

#include "engine/base/file.h"

namespace trainyard::ssh {

using Deadline = std::chrono::steady_clock::time_point;

inline Deadline deadlineIn(std::chrono::milliseconds time)
{
    return std::chrono::steady_clock::now() + time;
}

/// Lets another thread end the waiting of this one. The waiting thread polls pollFd() with its other
/// descriptors; a library call that cannot poll it (libssh's key exchange) is ended by shutting down its
/// socket. Call trigger() from any thread; the rest from the waiting one.
class Interrupt {
public:
    Interrupt();

    void trigger();
    bool triggered() const { return m_triggered.load(); }
    /// Readable once triggered, for ever.
    int pollFd() const { return m_event.get(); }

    /// The socket that trigger() shuts down; a duplicate is kept, so the number cannot be reused behind our
    /// back.
    void guardSocket(int fd);

    enum class Woken { Ready, Interrupted, TimedOut };
    /// Waits until `fd` has one of `events` (as for poll(2)).
    Woken waitFor(int fd, short events, Deadline deadline) const;

private:
    FileDescriptor m_event;
    std::atomic<bool> m_triggered{false};
    std::mutex m_mutex; ///< guards m_socket
    FileDescriptor m_socket;
};

} // namespace trainyard::ssh
