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

    /// Bytes that have arrived, at most `limit`, without waiting; empty when there are none.
    Result<std::string> readAvailable(Stream stream, std::size_t limit);
    /// Sends what the peer's window takes now and says how much that was, without waiting.
    Result<std::size_t> writeSome(std::string_view bytes);
    Status sendEof();

    /// The peer will send no more.
    bool atEnd() const;
    /// After the end: takes what came behind it, which is where the exit status is. Does not wait on a
    /// non-blocking session.
    void takeExitStatus();
    /// The command's exit status or what ended it; nothing while the server has not told.
    std::optional<int> exitStatus() const;
    std::string exitSignal() const;

private:
    struct Handle;
    std::unique_ptr<Handle> m_handle;
};

} // namespace trainyard::ssh
