#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

struct ssh_channel_struct;

namespace trainyard::ssh {

/// One channel of a session, in the session's thread; the session must outlive it.
class Channel {
public:
    enum class Stream { Output, Errors };

    /// Takes over an opened channel.
    explicit Channel(ssh_channel_struct* channel);
    Channel(Channel&&) noexcept;
    Channel& operator=(Channel&&) noexcept;
    ~Channel();

    /// Returns received bytes, at most `limit`, without waiting; empty when there are none.
    Result<std::string> readAvailable(Stream stream, std::size_t limit);
    /// Sends as much as the peer's window accepts and returns that number, without waiting.
    Result<std::size_t> writeSome(std::string_view bytes);
    Status sendEof();

    /// The peer will send no more.
    bool atEnd() const;
    /// After the end: reads the remaining messages, which include the exit status. Does not wait on a
    /// non-blocking session.
    void takeExitStatus();
    /// Returns the command's exit status or signal; nullopt before the server has sent it.
    std::optional<int> exitStatus() const;
    std::string exitSignal() const;

private:
    struct Handle;
    std::unique_ptr<Handle> m_handle;
};

} // namespace trainyard::ssh
