#include "remote/ssh/session.h"

#include <algorithm>
#include <array>
#include <thread>

#include <libssh/libssh.h>
#include <poll.h>

#include <fmt/format.h>

#include "remote/ssh/base64.h"

namespace trainyard::ssh {

using namespace std::chrono_literals;

namespace {

/// Signature algorithms that show a key of this type; an RSA key signs with SHA-2 only.
std::string algorithmsOf(const std::string& keyType)
{
    return keyType == "ssh-rsa" ? "rsa-sha2-512,rsa-sha2-256" : keyType;
}

/// What we know the host by comes first, so that a host with several keys shows the one we can check.
std::string hostKeyAlgorithms(std::vector<std::string> first)
{
    const std::array<std::string, 5> supported{"ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384",
                                               "ecdsa-sha2-nistp521", "ssh-rsa"};
    std::erase_if(first, [&](const auto& type) {
        return std::find(supported.begin(), supported.end(), type) == supported.end();
    });
    for (const auto& type : supported) {
        if (std::find(first.begin(), first.end(), type) == first.end())
            first.push_back(type);
    }
    std::string list;
    for (const auto& type : first)
        list += (list.empty() ? "" : ",") + algorithmsOf(type);
    return list;
}

// In the order of preference where the processor encrypts AES by itself: a bundle then costs a third of the
// time that ChaCha20 takes. Without that, libssh's own order, which begins with ChaCha20.
constexpr const char* kCiphers =
    "aes128-gcm@openssh.com,aes256-gcm@openssh.com,chacha20-poly1305@openssh.com,"
    "aes256-ctr,aes192-ctr,aes128-ctr";

bool processorKnowsAes()
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("aes") && __builtin_cpu_supports("pclmul");
#else
    return false;
#endif
}

bool setCiphers(ssh_session session)
{
    return !processorKnowsAes() || (ssh_options_set(session, SSH_OPTIONS_CIPHERS_C_S, kCiphers) == SSH_OK &&
                                    ssh_options_set(session, SSH_OPTIONS_CIPHERS_S_C, kCiphers) == SSH_OK);
}

/// Everything that libssh would otherwise take from files or guess.
bool setOptions(ssh_session session, int fd, const Session::Options& options)
{
    const int off = 0, strict = 1;
    const long timeout = options.timeout.count();
    const std::string keyTypes = hostKeyAlgorithms(options.keyTypes);
    return ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &off) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_HOST, options.host.c_str()) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_USER, options.user.c_str()) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_FD, &fd) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_TIMEOUT, &timeout) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_STRICTHOSTKEYCHECK, &strict) == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_KNOWNHOSTS, "/dev/null") == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_GLOBAL_KNOWNHOSTS, "/dev/null") == SSH_OK &&
           ssh_options_set(session, SSH_OPTIONS_HOSTKEYS, keyTypes.c_str()) == SSH_OK && setCiphers(session);
}

} // namespace

void Session::Free::operator()(ssh_session_struct* session) const
{
    ssh_disconnect(session);
    ssh_free(session);
}

Session::Session(ssh_session_struct* session) : m_session(session) {}
Session::Session(Session&&) noexcept = default;
Session::~Session() = default;

Result<Session> Session::handshake(FileDescriptor socket, const Options& options)
{
    Session session(ssh_new());
    TRAINYARD_CHECK(session.handle());
    if (!setOptions(session.handle(), socket.get(), options))
        return session.failure("the connection cannot be set up");
    const int connected = ssh_connect(session.handle());
    // libssh closes the socket of a session from here on, also after a failed connection.
    [[maybe_unused]] const int ownedBySession = socket.release();
    if (connected != SSH_OK)
        return session.failure("the SSH key exchange failed");
    return session;
}

HostKey Session::hostKey() const
{
    ssh_key key = nullptr;
    char* text = nullptr;
    HostKey result;
    if (ssh_get_server_publickey(handle(), &key) == SSH_OK &&
        ssh_pki_export_pubkey_base64(key, &text) == SSH_OK)
        result.blob = fromBase64(text).value_or("");
    ssh_string_free_char(text);
    ssh_key_free(key);
    return result;
}

int Session::socket() const
{
    return ssh_get_fd(handle());
}

std::string Session::libraryError() const
{
    return ssh_get_error(handle());
}

bool Session::connected() const
{
    return ssh_is_connected(handle());
}

Error Session::failure(const std::string& what) const
{
    return unreachable(fmt::format("{}: {}", what, libraryError()));
}

Result<Channel> Session::open(std::string_view command)
{
    ssh_channel raw = ssh_channel_new(handle());
    if (!raw)
        return failure("no channel");
    Channel channel(raw);
    if (ssh_channel_open_session(raw) != SSH_OK)
        return failure("the host opens no session");
    if (ssh_channel_request_exec(raw, std::string(command).c_str()) != SSH_OK)
        return failure("the host does not run commands for this user");
    return channel;
}

Result<Channel> Session::execute(const std::string& command)
{
    // A host that allows one session (MaxSessions 1) frees it only a moment after the channel was closed.
    for (const auto pause : {50ms, 100ms, 200ms, 400ms, 800ms}) {
        auto channel = open(command);
        if (channel.ok() || !connected() || ssh_get_error_code(handle()) != SSH_REQUEST_DENIED)
            return channel;
        std::this_thread::sleep_for(pause);
    }
    auto channel = open(command);
    if (!channel.ok() && connected())
        return refused(channel.error().message, "MaxSessions in its sshd_config must be at least 1");
    return channel;
}

Result<Channel> Session::forward(const std::string& host, int port)
{
    ssh_channel raw = ssh_channel_new(handle());
    if (!raw)
        return failure("no channel");
    Channel channel(raw);
    if (ssh_channel_open_forward(raw, host.c_str(), port, "127.0.0.1", 0) != SSH_OK)
        return failure(fmt::format("the jump host cannot connect to {} port {}", host, port));
    return channel;
}

void Session::setNonBlocking()
{
    ssh_set_blocking(handle(), 0);
}

void Session::setBlocking()
{
    ssh_set_blocking(handle(), 1);
}

bool Session::outputPending() const
{
    return (ssh_get_poll_flags(handle()) & SSH_WRITE_PENDING) != 0;
}

void Session::waitForTraffic(int wakeFd, std::chrono::milliseconds patience) const
{
    const short events = static_cast<short>(POLLIN | (outputPending() ? POLLOUT : 0));
    std::array<pollfd, 2> watched{pollfd{socket(), events, 0}, pollfd{wakeFd, POLLIN, 0}};
    ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
}

} // namespace trainyard::ssh
