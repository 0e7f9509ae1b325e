#include "remote/ssh/channel.h"

#include <algorithm>

#include <libssh/callbacks.h>
#include <libssh/libssh.h>

namespace trainyard::ssh {

namespace {

constexpr std::size_t kMaxWrite = 32 * 1024; // one SSH packet

} // namespace

/// At a fixed address: libssh keeps pointers to the callbacks.
struct Channel::Handle {
    explicit Handle(ssh_channel opened) : channel(opened)
    {
        ssh_callbacks_init(&callbacks);
        callbacks.userdata = this;
        callbacks.channel_exit_status_function = [](ssh_session, ssh_channel, int status, void* self) {
            static_cast<Handle*>(self)->exitStatus = status;
        };
        callbacks.channel_exit_signal_function = [](ssh_session, ssh_channel, const char* signal, int,
                                                    const char*, const char*, void* self) {
            static_cast<Handle*>(self)->exitSignal = signal ? signal : "";
        };
        ssh_add_channel_callbacks(channel, &callbacks);
    }
    ~Handle()
    {
        ssh_remove_channel_callbacks(channel, &callbacks);
        ssh_channel_free(channel);
    }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;

    Error failure(const char* what) const
    {
        return unreachable(std::string(what) + ": " + ssh_get_error(ssh_channel_get_session(channel)));
    }

    ssh_channel channel;
    ssh_channel_callbacks_struct callbacks{};
    std::optional<int> exitStatus;
    std::string exitSignal;
};

Channel::Channel(ssh_channel_struct* channel) : m_handle(std::make_unique<Handle>(channel)) {}
Channel::Channel(Channel&&) noexcept = default;
Channel& Channel::operator=(Channel&&) noexcept = default;
Channel::~Channel() = default;

Result<std::string> Channel::readAvailable(Stream stream, std::size_t limit)
{
    const int fromErrors = stream == Stream::Errors;
    const int waiting = ssh_channel_poll(m_handle->channel, fromErrors); // negative at the end and on errors
    std::string bytes(std::min(limit, static_cast<std::size_t>(std::max(waiting, 1))), '\0');
    const int got = ssh_channel_read_nonblocking(m_handle->channel, bytes.data(),
                                                 static_cast<std::uint32_t>(bytes.size()), fromErrors);
    if (got == SSH_ERROR)
        return m_handle->failure("reading from the host failed");
    bytes.resize(static_cast<std::size_t>(std::max(got, 0))); // SSH_EOF and SSH_AGAIN are negative too
    return bytes;
}

Result<std::size_t> Channel::writeSome(std::string_view bytes)
{
    const std::size_t window = ssh_channel_window_size(m_handle->channel);
    const std::size_t size = std::min({bytes.size(), window, kMaxWrite});
    if (size == 0)
        return std::size_t{0};
    const int put = ssh_channel_write(m_handle->channel, bytes.data(), static_cast<std::uint32_t>(size));
    if (put == SSH_ERROR)
        return m_handle->failure("sending to the host failed");
    return static_cast<std::size_t>(std::max(put, 0));
}

Status Channel::sendEof()
{
    if (ssh_channel_send_eof(m_handle->channel) == SSH_ERROR)
        return m_handle->failure("sending to the host failed");
    return {};
}

bool Channel::atEnd() const
{
    return ssh_channel_is_eof(m_handle->channel) || !ssh_channel_is_open(m_handle->channel);
}

/// The reading functions stop looking at the socket once the peer has sent end-of-file; this one still does.
/// (On a blocking session it would wait without limit.)
void Channel::takeExitStatus()
{
    if (!ssh_is_blocking(ssh_channel_get_session(m_handle->channel)))
        ssh_channel_get_exit_status(m_handle->channel);
}

std::optional<int> Channel::exitStatus() const
{
    return m_handle->exitStatus;
}

std::string Channel::exitSignal() const
{
    return m_handle->exitSignal;
}

} // namespace trainyard::ssh
